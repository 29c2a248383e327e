"""The contract: everything that is fixed before outcomes exist, in sections with a digest each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routeaudit.errors import InputError
from routeaudit.tables import canonical_json, text_digest

CONTRACT_SCHEMA = "routeaudit.contract/1"

# Settings of how the work is done; they change no result and are no part of what was promised.
OPERATIONAL_SECTIONS = frozenset({"execution"})
# Keys anywhere in the configuration that say where something is or how fast it may be fetched.
OPERATIONAL_KEYS = frozenset(
    {
        "data_dir",
        "download",
        "base_url",
        "key_env",
        "concurrency",
        "timeout_s",
        "delay_s",
        "retries",
        "token_budget",
        "gpu_memory_utilization",
    }
)

# Keys that came after contracts had been sealed, with the value that a contract without the key means: that
# value adds nothing to a digest, so a sealed study keeps its contract by naming its old rule.
LATER_KEYS = {"p_tail": "monte_carlo"}
_NEVER = object()


def make_contract(study: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """Build the contract of a study from its resolved configuration (a plain mapping by section)."""
    sections = {name: promised(value) for name, value in config.items() if name not in OPERATIONAL_SECTIONS}
    digests = {name: section_digest(value) for name, value in sections.items()}
    return {
        "schema": CONTRACT_SCHEMA,
        "study": study,
        "sections": sections,
        "section_digests": digests,
        "digest": text_digest(canonical_json({"study": study, "sections": digests})),
    }


def promised(value: Any) -> Any:
    """The part of a configuration value that a contract fixes: everything but operational keys."""
    if isinstance(value, Mapping):
        return {
            key: promised(inner)
            for key, inner in value.items()
            if key not in OPERATIONAL_KEYS and LATER_KEYS.get(key, _NEVER) != inner
        }
    return [promised(inner) for inner in value] if isinstance(value, list | tuple) else value


def section_digest(section: Any) -> str:
    """Digest of what a section or a part of one promises."""
    return text_digest(canonical_json(promised(section)))


def part_digests(parts: Mapping[str, Any]) -> dict[str, str]:
    """A digest for each named part of a section."""
    return {name: section_digest(value) for name, value in parts.items()}


def held_sections(cfg: Mapping[str, Any], contract: Mapping[str, Any], where: str) -> dict[str, str]:
    """The digests of the contract parts that a stage's configuration holds.

    Keys of `cfg` are sections (``split``) or dotted parts of one (``routers.random``).

    Raises
    ------
    InputError : a part differs from the sealed one: the results folder was written under another contract.
    """
    held = {
        name: section_digest(value)
        for name, value in cfg.items()
        if _section(name) not in OPERATIONAL_SECTIONS
    }
    for name, digest in held.items():
        sealed = section_digest(_part(contract["sections"], name))
        if sealed != digest:
            raise InputError(
                f"{where}, section {name!r}",
                f"the sealed configuration (digest {sealed[:12]})",
                f"a configuration with digest {digest[:12]}",
                "the results folder was written under another contract: seal anew (snakemake -R seal) "
                "or use another study name",
            )
    return held


def _section(name: str) -> str:
    return name.split(".")[0]


def _part(sections: Mapping[str, Any], name: str) -> Any:
    value: Any = sections
    for key in name.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
