"""One self-contained HTML page: Jinja with autoescape, style inside, no script and no network."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Literal

import jinja2
from markupsafe import Markup

from routeaudit.report import tables
from routeaudit.tables import write_text

_FILTERS: Mapping[str, Callable[..., str]] = {
    "number": tables.number,
    "signed": tables.signed,
    "count": tables.count,
    "percent": tables.percent,
    "p_value": tables.p_value,
    "duration": tables.duration,
    "digest": tables.digest,
    "text": tables.text,
}


@dataclass(frozen=True)
class Headline:
    """One headline number of a page.

    Parameters
    ----------
    label : what it is, for example ``tasks scored``
    value : how it is spelled
    note : one line beneath it, for example an interval or a denominator
    """

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Section:
    """A part of a page.

    Parameters
    ----------
    anchor : its id in the page, for links
    title : its heading
    body : its content; already safe
    """

    anchor: str
    title: str
    body: Markup


@dataclass(frozen=True)
class Page:
    """What a page shows.

    Parameters
    ----------
    title : the heading
    lead : what was found, in a sentence or two, above everything else
    kind : a small line above the title, for example ``Routing evaluation``
    headline : the few numbers to see first
    sections : the parts in reading order; four or more get a table of contents
    footer : names and values at the foot, for example versions and digests
    """

    title: str
    lead: str | Markup
    kind: str = ""
    headline: Sequence[Headline] = ()
    sections: Sequence[Section] = ()
    footer: Mapping[str, Any] = field(default_factory=dict)


def render_page(page: Page) -> str:
    """The page as HTML text; equal pages give equal texts."""
    template = environment("routeaudit.report", "assets").get_template("page.html.j2")
    footer = tables.definitions(page.footer) if page.footer else Markup("")
    return template.render(page=page, style=_style(), footer=footer)


def write_page(path: Path, page: Page) -> None:
    """Render `page` and write it atomically."""
    write_text(path, render_page(page))


@functools.cache
def environment(package: str, folder: str = "templates") -> jinja2.Environment:
    """The Jinja environment over a package's template folder: autoescape on, unknown names are errors."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader(package, folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters.update(_FILTERS)
    return made


def fragment(package: str, template: str, **values: Any) -> Markup:
    """Fill one template of a package's ``templates`` folder; `values` are escaped unless `Markup`."""
    return Markup(environment(package).get_template(template).render(**values))


def paragraph(body: str | Markup) -> Markup:
    """One paragraph of running text."""
    return Markup("<p>{}</p>").format(body)


def note(body: str | Markup, kind: Literal["plain", "caution", "refused"] = "plain") -> Markup:
    """A remark set apart: a plain one, a caution, or something the analysis refused to say."""
    return Markup('<aside class="note {}">{}</aside>').format(kind, body)


def badge(word: str, kind: Literal["plain", "good", "caution", "bad"] = "plain") -> Markup:
    """A status word, for example an evidential status."""
    return Markup('<span class="badge {}">{}</span>').format(kind, word)


def folded(summary: str, body: Markup, opened: bool = False) -> Markup:
    """Detail behind a line that opens it."""
    attribute = Markup(" open") if opened else Markup("")
    return Markup("<details{}><summary>{}</summary>{}</details>").format(attribute, summary, body)


@functools.cache
def _style() -> Markup:
    return Markup(resources.files("routeaudit.report").joinpath("assets", "style.css").read_text("utf-8"))
