"""`snakemake`, with the Slurm plugin asking for job states every second instead of ever more rarely."""

from snakemake.cli import main
from snakemake_interface_executor_plugins.executors.remote import RemoteExecutor

RemoteExecutor.next_seconds_between_status_checks = property(lambda self: 1.0, lambda self, value: None)

if __name__ == "__main__":
    main()
