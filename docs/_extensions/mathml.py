"""Formulas as MathML, which browsers draw without a script and without a network."""

from __future__ import annotations

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

LARGE = re.compile(
    r"\\(big|Big|bigg|Bigg)(?![a-zA-Z])\s*(\\\w+|\\.|.)"
)  # the converter knows \bigl and \bigr
CLOSING = {")", "]", r"\}", r"\rangle", r"\rfloor", r"\rceil"}
LOGGER = logging.getLogger(__name__)


def with_sides(formula: str) -> str:
    return LARGE.sub(lambda found: f"\\{found[1]}{'r' if found[2] in CLOSING else 'l'} {found[2]}", formula)


def markup(node: nodes.Element, as_block: bool) -> str:
    """The MathML of a formula; a formula that cannot be read is a warning and stays as it is written."""
    try:
        return tex2mathml(with_sides(node.astext()), as_block=as_block)
    except MathError as error:
        LOGGER.warning("cannot read the formula %r: %s", node.astext(), error, location=node)
        return nodes.literal("", node.astext()).astext()


def inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(markup(node, as_block=False))
    raise nodes.SkipNode


def block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="math">{markup(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
