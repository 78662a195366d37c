"""Pieces end where a browser's tokens end."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seqloom.serving.segmentation.markup import pieces

ODD = """< > </ <!-- --> --!> <![CDATA[ ]]> <! <? <b> </b> <a_href=' =" ' " /> <script> </script> <code> </code> = &
    &amp; <p_translate=no> </p> text _ <A_B"""
ATOMS = st.sampled_from(ODD.split()).map(lambda atom: atom.replace("_", " "))
HTML = st.lists(ATOMS).map("".join) | st.text()


def texts(html: str) -> list[str]:
    return [html[piece.start : piece.end] for piece in pieces(html) if piece.kind == "text"]


@given(HTML)
def test_the_pieces_are_the_document(html):
    found = list(pieces(html))
    assert "".join(html[piece.start : piece.end] for piece in found) == html
    assert all(piece.start < piece.end for piece in found)


@pytest.mark.parametrize(
    "html, expected",
    [
        ("a<b>c</b>d", ["a", "c", "d"]),
        ("1 < 2 and 3 > 2 <3 <", ["1 < 2 and 3 > 2 <3 <"]),
        ("<a title=\"x > y\" alt='>'>c", ["c"]),
        ("<a b\"c>d\">e", ['d">e']),  # a quote in a name opens nothing
        ("<a b = \">\" c>d", ["d"]),
        ("<a b=c\"d>e", ["e"]),
        ("<a =\">\">e", ["\">e"]),  # a name may begin with =
        ("<a b=>c", ["c"]),
        ("a<b c", ["a"]),  # a tag that never ends
        ("a<b c='d>e", ["a"]),
        ("<!-- a > b --><!-->c<!--->d<!--!>e--!>f<!--g", ["c", "d", "f"]),
        ("<![CDATA[a > b]]>c<![CDATA[d>e", ["c", "e"]),
        ("<!DOCTYPE html>a<?php b>c</>d</ e>f", ["a", "c", "d", "f"]),
        ("<script>a</scripts><b>c</SCRIPT >d<style>e", ["d"]),
        ("<script>a</\u017fcript>b</script>c", ["c"]),  # a long s is no s
        ("<textarea>a<b></textarea>c<plaintext>d</plaintext>e", ["c"]),
        ("<pre>a</pre>b<code>c<code>d</code>e</code>f", ["b", "f"]),
        ("</code>a<code>b</pre>c</code>d", ["a", "d"]),
        ("<p translate=no>a<b>b</b></p>c", ["c"]),
        ("<p TRANSLATE='NO'>a</P>c<p translate=yes>d<p translate>e", ["c", "d", "e"]),
        ("<i class='x notranslate\ny'>a<i>b</i>c</i>d<i class=notranslates>e", ["d", "e"]),
        ("<i class=notranslat&#101;>a</i>b", ["b"]),
        ("<p class=a class=notranslate>b", ["b"]),  # the first of two attributes counts
        ("<img class=notranslate>a<br translate=no>b", ["a", "b"]),
        ("<p title='translate=no'>a", ["a"]),
    ],
)  # fmt: skip
def test_texts(html, expected):
    assert texts(html) == expected


class Texts(HTMLParser):
    """An independent reader, for documents that are well formed."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


WORDS = st.text("abc .,中'\"=/!-", min_size=1)
NAMES = st.sampled_from(["p", "div", "b", "A", "span", "h1"])
ATTRIBUTES = st.lists(st.tuples(st.sampled_from(["id", "href", "data-x"]), st.text("ab <>/=-'", max_size=5))).map(
    lambda pairs: "".join(f' {name}="{value}"' for name, value in pairs)
)


@given(
    st.recursive(
        WORDS | st.just("<!-- <b> note > -->") | st.just("<br/>"),
        lambda inner: st.builds(
            lambda n, a, c: f"<{n}{a}>{''.join(c)}</{n}>", NAMES, ATTRIBUTES, st.lists(inner, max_size=4)
        ),
        max_leaves=8,
    )
)
def test_texts_are_those_of_the_standard_library(html):
    reader = Texts()
    reader.feed(html)
    reader.close()
    assert "".join(texts(html)) == "".join(reader.found)


@pytest.mark.parametrize(
    "unit",
    [
        "<", "<a", "<a ", "<!--", "<!-->", "<![CDATA[", "<![CDATA[>", "</", "<?", '<a b="c', "<b>", "</b>",
        "<b translate=no>", "<script>", "<script></script", "<a ='", "<code>", "<!--!>",
    ],
)  # fmt: skip
def test_hostile_documents_take_linear_time(unit):
    html = unit * 100_000  # the square of it would take minutes
    assert sum(piece.end - piece.start for piece in pieces(html)) == len(html)
