"""HTML as pieces: text to translate, tags inside a sentence, and all the rest.

Tokens end where the HTML standard says that they end, so that a browser sees the same pieces. The standard library's
`html.parser` is not used: it is quadratic on hostile input (160 KB of `<a b="c` take it 71 s in Python 3.11), differs
between Python releases, and does not hand out end tags as they were written. Here each character is looked at a fixed
number of times, and there is no recursion.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

RAW = ("script", "style", "textarea", "xmp", "iframe", "noembed", "noframes", "noscript")
"""Elements whose content is no markup, up to their end tag."""

UNTRANSLATED = frozenset(("code", "pre", "kbd", "samp", "var", "math"))
"""Elements whose content is not translated."""

VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
"""Elements without content, and so without an end."""

INLINE = frozenset(
    ("a", "abbr", "b", "bdi", "bdo", "cite", "data", "del", "dfn", "em", "font", "i", "ins", "label", "mark", "q", "s",
     "small", "span", "strong", "time", "u")
)  # fmt: skip
"""Tags that may stand inside a sentence."""

NAME = re.compile(r"[a-zA-Z][^\t\n\f\r />]*")
GAP = re.compile(r"[\t\n\f\r /]*")
ATTRIBUTE = re.compile(r"(.[^\t\n\f\r />=]*)[\t\n\f\r ]*(=[\t\n\f\r ]*)?", re.DOTALL)
UNQUOTED = re.compile(r"[^\t\n\f\r >]*")
SHORT_COMMENT = re.compile(r"-?>")
COMMENT_END = re.compile(r"--!?>")
RAW_END = {name: re.compile(rf"</{name}(?=[\t\n\f\r />])", re.IGNORECASE | re.ASCII) for name in RAW}


@dataclass(frozen=True, slots=True)
class HTMLPiece:
    """A part of a document; the pieces in order are the document."""

    start: int
    end: int
    kind: Literal["text", "inline", "other"]


def pieces(html: str) -> Iterator[HTMLPiece]:
    """Cut a document into pieces. An element that is not to be translated (`UNTRANSLATED`, `translate="no"`, the class
    `notranslate`) goes on to its own end tag; if that is missing, to the end of the document."""
    cdata = html.rfind("]]>")  # known once, not looked for again at each start that has no end
    kept, depth = "", 0
    start = at = 0
    while (at := html.find("<", at)) >= 0:
        ending = html.startswith("/", at + 1)
        match = NAME.match(html, at + 1 + ending)
        name, attributes = "", dict[str, str]()
        if match:
            name = match[0].lower()
            end, attributes = tag_end(html, match.end())
        elif html.startswith(("!", "?", "/"), at + 1):
            end = comment_end(html, at, cdata)
        else:
            at += 1  # a `<` that is only a sign
            continue
        if start < at:
            yield HTMLPiece(start, at, "other" if kept else "text")
        if ending:
            depth -= name == kept
        elif kept:
            depth += name == kept
        elif name in UNTRANSLATED or (name not in VOID and opts_out(attributes)):
            kept, depth = name, 1
        if not ending and name in RAW_END:
            close = RAW_END[name].search(html, end)
            end = close.start() if close else len(html)
        elif not ending and name == "plaintext":
            end = len(html)
        yield HTMLPiece(at, end, "inline" if name in INLINE else "other")
        if depth < 1:
            kept, depth = "", 0
        start = at = end
    if start < len(html):
        yield HTMLPiece(start, len(html), "other" if kept else "text")


def tag_end(html: str, at: int) -> tuple[int, dict[str, str]]:
    """The place after a tag whose name ends at `at`, and its attributes; a tag that never ends goes to the end."""
    attributes: dict[str, str] = {}
    while True:
        gap = GAP.match(html, at)
        assert gap
        at = gap.end()
        if html.startswith(">", at):
            return at + 1, attributes
        attribute = ATTRIBUTE.match(html, at)
        if not attribute:  # the document ends here
            return len(html), attributes
        at, value = attribute.end(), ""
        if attribute[2]:
            quote = html[at : at + 1]
            if quote and quote in "\"'":
                close = html.find(quote, at + 1)
                if close < 0:
                    return len(html), attributes
                value, at = html[at + 1 : close], close + 1
            else:
                unquoted = UNQUOTED.match(html, at)
                assert unquoted
                value, at = unquoted[0], unquoted.end()
        attributes.setdefault(attribute[1].lower(), value)


def comment_end(html: str, at: int, cdata: int) -> int:
    """The place after a comment, a doctype, an instruction or a CDATA section, whose last end in the document begins
    at `cdata`."""
    if html.startswith("<!--", at):
        close = SHORT_COMMENT.match(html, at + 4) or COMMENT_END.search(html, at + 4)
        return close.end() if close else len(html)
    if html.startswith("<![CDATA[", at) and cdata > at:
        return html.index("]]>", at) + 3
    return html.find(">", at) + 1 or len(html)


def opts_out(attributes: dict[str, str]) -> bool:
    """Whether an element says that it is not to be translated."""
    if unescape(attributes.get("translate", "")).lower() == "no":
        return True
    return "notranslate" in unescape(attributes.get("class", "")).split()
