"""Write the embedded GGUF model as a folder in Hugging Face format, which vLLM can read.

The weights are dequantised to bfloat16. Prints the folder's manifest digest, which a configuration declares
as `weights_sha256`; `make test-vllm` runs this in an environment of its own, which has transformers.
"""

import argparse
import shutil
from pathlib import Path

from routeaudit.config.models import LlamaCppModel
from routeaudit.execution.backends.llamacpp import locate_weights
from routeaudit.execution.weights import manifest_digest


def convert(gguf: Path, folder: Path) -> None:
    """Weights, tokenizer and chat template of `gguf` in `folder`, which appears once it is whole."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
    # Packed GGUF weights cannot be saved.
    unpacked = GgufConfig(dequantize=True)
    model = AutoModelForCausalLM.from_pretrained(**source, quantization_config=unpacked, dtype=torch.float32)
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    model.to(torch.bfloat16).save_pretrained(partial)
    AutoTokenizer.from_pretrained(**source).save_pretrained(partial)
    partial.rename(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where to write; left alone if it is there")
    folder = parser.parse_args().folder
    if not folder.is_dir():
        convert(locate_weights(LlamaCppModel()), folder)
    print(f"{folder}: weights_sha256 {manifest_digest(folder)}")


if __name__ == "__main__":
    main()
