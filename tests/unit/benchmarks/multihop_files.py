"""Small benchmark files in the originals' formats, for tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from routeaudit.config.benchmarks import HotpotQAConfig, MuSiQueConfig, SourceFile

FILLER = ["Granite", "Meadow", "Copper", "Lantern", "Harbour", "Violin", "Cedar", "Glacier"]


def hotpot_record(identity: str = "h1", **changes: Any) -> dict[str, Any]:
    """A bridge question: The Zone names its director, whose page names his home town."""
    context = [
        [
            "Denys Arbour",
            ["Denys Arbour is a filmmaker.", " He was born in Quillport near the northern lighthouse."],
        ],
        [
            "The Zone (2017 film)",
            ["The Zone is a Quebecois film.", " Denys Arbour directed it with puppets."],
        ],
        *[[name, [f"{name} is a film about {name.lower()} mining.", " It won prizes."]] for name in FILLER],
    ]
    record = {
        "_id": identity,
        "type": "bridge",
        "level": "hard",
        "question": "Where was the director of The Zone born?",
        "answer": "Quillport",
        "supporting_facts": [["Denys Arbour", 1], ["The Zone (2017 film)", 1]],
        "context": context,
    }
    return record | changes


def musique_record(identity: str = "2hop__11_22", **changes: Any) -> dict[str, Any]:
    """A two-hop question over eight paragraphs; the second is the first hop."""
    texts = [
        ("Quillport", "Quillport is a town. Its mayor is Orla Venn, a botanist."),
        ("The Zone", "The Zone was filmed in Quillport. It was made in 2017."),
        *[(name, f"{name} is a mine. It closed in 1950. Nobody works there.") for name in FILLER[:6]],
    ]
    paragraphs = [
        {"idx": number, "title": title, "paragraph_text": text, "is_supporting": number < 2}
        for number, (title, text) in enumerate(texts)
    ]
    record = {
        "id": identity,
        "question": "Who is the mayor of the town where The Zone was filmed?",
        "answer": "Orla Venn",
        "answer_aliases": ["O. Venn"],
        "answerable": True,
        "paragraphs": paragraphs,
        "question_decomposition": [
            {"id": 11, "question": "The Zone >> place", "answer": "Quillport", "paragraph_support_idx": 1},
            {"id": 22, "question": "#1 >> mayor", "answer": "Orla Venn", "paragraph_support_idx": 0},
        ],
    }
    return record | changes


def write_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    """Write records as JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def hotpot_config(path: Path, **settings: Any) -> HotpotQAConfig:
    """HotpotQA from a file of the test's own."""
    return HotpotQAConfig(source=SourceFile(file=path.name, data_dir=str(path.parent)), **settings)


def musique_config(path: Path, **settings: Any) -> MuSiQueConfig:
    """MuSiQue from a file of the test's own."""
    return MuSiQueConfig(source=SourceFile(file=path.name, data_dir=str(path.parent)), **settings)
