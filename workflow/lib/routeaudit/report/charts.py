"""Charts as static SVG inside the page: no script, no network, colours that follow light and dark.

The drawing is made by Vega-Lite through vl-convert. Everything that is not data is drawn in
``currentColor``, so the page's own text colour decides it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any

import altair
import vl_convert
from markupsafe import Markup

from routeaudit.report.tables import Source
from routeaudit.tables import text_digest

# After Okabe and Ito; each has a contrast of 3 or more on the light page and on the dark one.
PALETTE = ("#1B7FBF", "#D55E00", "#009E73", "#C9709F", "#A8790A", "#8A8A8A")
# One hue from "nothing" to "all", both ends visible on white and on black.
RAMP = ("#E6E1D6", "#9CC0D9", "#3E8FC1", "#0B5A94")

_SVG = "{http://www.w3.org/2000/svg}"
_ELEMENTS = frozenset(
    f"{_SVG}{name}"
    for name in (
        *("svg", "g", "defs", "title", "path", "line", "rect", "circle", "text", "tspan"),
        *("clipPath", "linearGradient", "radialGradient", "stop"),
    )
)
_REFERENCE = re.compile(r"url\(#([\w-]+)\)")


_INK = "currentColor"
_GUIDE = {
    "labelColor": _INK,
    "titleColor": _INK,
    "labelFontSize": 12,
    "titleFontSize": 12,
    "titleFontWeight": "normal",
    "labelLimit": 400,
}
_LINES = {
    "gridColor": _INK,
    "gridOpacity": 0.13,
    "domainColor": _INK,
    "domainOpacity": 0.4,
    "tickColor": _INK,
    "tickOpacity": 0.4,
}
_CONFIG: dict[str, Any] = {
    "background": None,
    "font": "Arial, Helvetica, sans-serif",
    # Browsers may set labels wider than they were measured; the padding keeps them whole.
    "padding": {"left": 24, "right": 12, "top": 4, "bottom": 4},
    "view": {"stroke": None},
    "mark": {"color": PALETTE[0]},
    "rule": {"strokeWidth": 2},
    "axis": _GUIDE | _LINES,
    "legend": _GUIDE,
    "header": _GUIDE,
    "title": {
        "color": _INK,
        "subtitleColor": _INK,
        "fontSize": 13,
        "fontWeight": "normal",
        "anchor": "start",
    },
    "text": {"color": _INK},
    "range": {"category": PALETTE, "ramp": RAMP, "heatmap": RAMP, "ordinal": RAMP},
}


def svg(chart: altair.TopLevelMixin, label: str) -> Markup:
    """Draw an Altair chart as an SVG element that is safe inside a page.

    `label` says in words what the chart shows, for readers who do not see it. Marks keep their
    description as a title, which browsers show on hover.

    Raises
    ------
    ValueError : the chart needs something that a page must not hold (an image, a link)
    """
    with altair.data_transformers.enable("default", max_rows=None):
        specification = chart.to_dict()
    drawn = vl_convert.vegalite_to_svg(specification, config=_CONFIG, allowed_base_urls=[])
    ElementTree.register_namespace("", _SVG.strip("{}"))
    root = ElementTree.fromstring(drawn)
    _own_ids(root, label)
    for element in list(root.iter()):
        _clean(element)
    root.set("role", "img")
    root.set("aria-label", label)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def figure(chart: altair.TopLevelMixin, caption: str, source: Source | None = None) -> Markup:
    """A chart with its caption and the artifact it was drawn from."""
    beneath = Markup("") if source is None else Markup(" {}").format(source)
    return Markup(
        '<figure class="chart"><div class="scroll" tabindex="0">{}</div>'
        "<figcaption>{}{}</figcaption></figure>"
    ).format(svg(chart, caption), caption, beneath)


def _own_ids(root: ElementTree.Element, label: str) -> None:
    """Number the drawing's ids from one and set a digest of it before them.

    Vega counts ids through all drawings of a process: left alone, they would differ between two runs
    of one report and collide between two charts of one page.
    """
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    numbered = {name: f"-{place}" for place, name in enumerate(ids, 1)}
    _rename(root, numbered)
    prefix = f"c{text_digest(ElementTree.tostring(root, encoding='unicode') + label)[:10]}"
    _rename(root, {number: prefix + number for number in numbered.values()})


def _rename(root: ElementTree.Element, names: Mapping[str, str]) -> None:
    for element in root.iter():
        for attribute, value in element.attrib.items():
            if attribute == "id":
                element.set("id", names[value])
            elif found := _REFERENCE.fullmatch(value):
                element.set(attribute, f"url(#{names[found[1]]})")


def _clean(element: ElementTree.Element) -> None:
    """Keep drawing elements only and turn descriptions into titles."""
    if element.tag not in _ELEMENTS:
        raise ValueError(f"a chart on a page may not hold <{element.tag.removeprefix(_SVG)}>")
    for name in list(element.attrib):
        if name.startswith("on") or name.endswith("href"):
            del element.attrib[name]
    _title(element)


def _title(element: ElementTree.Element) -> None:
    description = element.get("aria-label")
    if description and element.get("aria-roledescription") not in {"axis", "legend", "title"}:
        title = ElementTree.SubElement(element, _SVG + "title")
        title.text = description
