"""A page is one file: no script, no network, nothing unescaped, the same text for the same content."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import altair
import jinja2
import pytest
from markupsafe import Markup

from routeaudit.report import charts, page, tables

EVIL = '</script><script>alert("x")</script><img src=//evil.example/x>'


class _Tags(HTMLParser):
    """Collects tags and whether they close in order."""

    VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def parsed(html: str) -> _Tags:
    tags = _Tags()
    tags.feed(html)
    assert not tags.open
    return tags


def bars(names: list[str]) -> altair.Chart:
    rows = [{"name": name, "value": place} for place, name in enumerate(names)]
    return altair.Chart(altair.Data(values=rows)).mark_bar(clip=True).encode(x="value:Q", y="name:N")


def full_page() -> page.Page:
    body = charts.figure(bars([EVIL, "b"]), EVIL, tables.Source(EVIL))
    body += tables.html_table([tables.Column("a", EVIL, help=EVIL)], [{"a": EVIL}], EVIL)
    body += page.note(EVIL) + page.badge(EVIL) + page.folded(EVIL, page.paragraph(EVIL))
    sections = [page.Section(f"s{n}", EVIL, body) for n in range(4)]
    return page.Page(EVIL, EVIL, EVIL, [page.Headline(EVIL, EVIL, EVIL)], sections, {EVIL: EVIL})


def test_hostile_text_anywhere_on_a_page_adds_no_element() -> None:
    tags = parsed(page.render_page(full_page()))
    assert {"script", "img", "iframe", "link", "object"}.isdisjoint(tag for tag, _ in tags.seen)
    assert not [name for _, attributes in tags.seen for name in attributes if name.startswith("on")]


def test_a_page_asks_for_nothing_from_elsewhere() -> None:
    html = page.render_page(full_page())
    tags = parsed(html)
    links = [v for _, attributes in tags.seen for k, v in attributes.items() if k in {"src", "href"}]
    assert links
    assert all(str(link).startswith("#") for link in links)
    style = html[html.index("<style>") : html.index("</style>")]
    assert not re.search(r"url\(|@import", style)
    assert "default-src 'none'" in html


def test_equal_pages_give_equal_bytes() -> None:
    assert page.render_page(full_page()) == page.render_page(full_page())


def test_only_a_long_page_has_a_table_of_contents() -> None:
    sections = [page.Section(f"s{n}", f"Part {n}", Markup("")) for n in range(4)]
    assert '<a href="#s3">Part 3</a>' in page.render_page(page.Page("t", "l", sections=sections))
    assert "<nav" not in page.render_page(page.Page("t", "l", sections=sections[:3]))


def test_a_template_that_names_an_unknown_value_is_an_error() -> None:
    template = page.environment("routeaudit.report", "assets").from_string("{{ nothing_here }}")
    with pytest.raises(jinja2.UndefinedError):
        template.render()


def test_writing_a_page_leaves_one_file(tmp_path: Path) -> None:
    page.write_page(tmp_path / "a" / "p.html", page.Page("t", "l"))
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["p.html"]


def test_ids_of_two_charts_on_one_page_do_not_collide() -> None:
    ids: list[str] = []
    for names in (["a"], ["b"]):
        drawing = charts.svg(bars(names), "label")
        own = re.findall(r' id="([^"]+)"', drawing)
        assert own
        assert set(re.findall(r"url\(#([^)]+)\)", drawing)) <= set(own)
        ids += own
    assert len(ids) == len(set(ids))


def test_data_that_looks_like_an_id_stays_as_it_was_written() -> None:
    assert '>x id="clip0" url(#clip0)<' in charts.svg(bars(['x id="clip0" url(#clip0)']), "label")


def test_a_mark_tells_its_values_on_hover() -> None:
    assert "<title>value: 0; name: only &lt;one&gt;</title>" in charts.svg(bars(["only <one>"]), "label")


def test_chart_text_takes_the_colour_of_the_page() -> None:
    texts = re.findall(r"<text [^>]*fill=\"([^\"]+)\"", charts.svg(bars(["a"]), "label"))
    assert texts
    assert set(texts) == {"currentColor"}


def test_a_chart_with_an_image_is_refused() -> None:
    chart = (
        altair.Chart(altair.Data(values=[{"u": "data:image/png;base64,AA=="}])).mark_image().encode(url="u:N")
    )
    with pytest.raises(ValueError, match="image"):
        charts.svg(chart, "label")


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("paper", ["#fdfcfa", "#17191c"])
def test_every_chart_colour_stands_out_on_the_light_and_the_dark_page(paper: str) -> None:
    for colour in charts.PALETTE:
        bright, dark = sorted((_luminance(colour), _luminance(paper)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 3, colour
