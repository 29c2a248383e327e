"""Numbers have one spelling each; tables escape what they show and say where it is from."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from routeaudit.report import tables


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (tables.number(0.12345), "0.123"),
        (tables.number(-0.12345), "\u22120.123"),
        (tables.number(-0.0001), "0.000"),
        (tables.number(float("nan")), "–"),
        (tables.number(float("inf")), "–"),
        (tables.number(None), "–"),
        (tables.signed(0.25, 2), "+0.25"),
        (tables.signed(-0.25, 2), "\u22120.25"),
        (tables.signed(0.0001, 2), "0.00"),
        (tables.count(1234567), "1\u202f234\u202f567"),
        (tables.count(None), "–"),
        (tables.percent(0.1234), "12.3 %"),
        (tables.p_value(0.00099), "< 0.001"),
        (tables.p_value(0.0012), "0.001"),
        (tables.p_value(1.0), "1.000"),
        (tables.p_value(None), "–"),
        (tables.interval(-0.5, 0.5, 1), "[\u22120.5, 0.5]"),
        (tables.interval(None, 0.5), "–"),
        (tables.estimate(0.5, None, None), "0.500"),
        (tables.estimate(0.5, 0.25, 0.75, 2), "0.50 [0.25, 0.75]"),
        (tables.duration(0.417), "0.42 s"),
        (tables.duration(185.2), "3 min 05 s"),
        (tables.duration(7620), "2 h 07 min"),
        (tables.duration(3599.9), "1 h 00 min"),
        (tables.duration(59.999), "1 min 00 s"),
    ],
)
def test_a_value_has_one_spelling(shown: str, expected: str) -> None:
    assert shown == expected


def test_text_from_a_model_is_escaped_in_a_cell_and_in_the_caption() -> None:
    page = tables.html_table([tables.Column("a", "<i>")], [{"a": "<script>x</script>"}], "<b>")
    assert "<script>" not in page
    assert "<b>" not in page
    assert "<i>" not in page
    assert "&lt;script&gt;x&lt;/script&gt;" in page


def test_markup_in_a_cell_passes_unescaped() -> None:
    page = tables.html_table([tables.Column("a", "a")], [{"a": Markup("<em>ok</em>")}], "c")
    assert "<em>ok</em>" in page


def test_a_missing_value_shows_as_a_dash() -> None:
    page = tables.html_table([tables.Column("a", "a"), tables.numeric("b", "b")], [{"a": None}], "c")
    assert page.count("–") == 2


def test_a_table_names_its_source_and_its_digest() -> None:
    page = tables.html_table([], [], "c", tables.Source("results/s/scores.parquet", "ab" * 32))
    assert "results/s/scores.parquet" in page
    assert f'title="{"ab" * 32}"' in page


def test_a_table_without_rows_says_so() -> None:
    assert "no rows" in tables.html_table([tables.Column("a", "a")], [], "c")


def test_only_emphasised_rows_are_strong() -> None:
    rows = [{"a": "x"}, {"a": "y"}]
    page = tables.html_table([tables.Column("a", "a")], rows, "c", emphasis=lambda row: row["a"] == "y")
    assert page.count('class="strong"') == 1
    assert '<tr class="strong"><td class="left">y' in page


def test_definitions_escape_names_and_values() -> None:
    assert "<u>" not in tables.definitions({"<u>": "<u>"})
