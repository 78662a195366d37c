"""HTML comes back as it was written, but for the sentences that were translated."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from seqloom.serving.segmentation import segment
from seqloom.serving.segmentation.html import split

ODD = """< > </ <!-- --> <![CDATA[ ]]> <b> </b> <a_href="x"> <a_b=' " ' /> <p <br> <script> </script> <code> </code>
    <i_translate=no> </i> One._ two 你好。 & &amp; &nbsp; &nbspx &#x4e2d; &#1; &bne; &lt; &NewLine; &notit; &quot;
    _ __"""
ATOMS = st.sampled_from(ODD.split()).map(lambda atom: atom.replace("_", " ")) | st.sampled_from(["\n", "\r\n", "\t"])


@given(st.lists(ATOMS).map("".join) | st.text(), st.sampled_from(["en", "zh", "und"]), st.integers(1, 30))
@example("&#1;One.&#1; &#1;Two.&#1;", "en", 20)
@example("a&bne;b&bne;", "en", 2)  # cut between the two characters of one reference
def test_the_sentences_themselves_give_the_document_back(html, language, max_length):
    segmented = split(html, language, max_length)
    assert segmented.join(segmented.sentences) == html


@given(st.lists(ATOMS).map("".join) | st.text())
def test_a_translation_brings_no_markup(html):
    segmented = split(html)
    hostile = segmented.join(["<script>&amp;</script>"] * len(segmented.spans))
    assert hostile.count("&lt;script&gt;&amp;amp;&lt;/script&gt;") >= len(segmented.spans)
    harmless = segmented.join(["x"] * len(segmented.spans))
    assert hostile.count("<") == harmless.count("<")


def test_a_page():
    html = """<!DOCTYPE html>
<html lang="en"><head><title>Salt &amp; pepper</title><style>p { color: red }</style></head>
<body class='a "b"'><!-- a note. -->
  <p title="Not this">One&nbsp;house
    is red. &copy; Two <b>cats</b>.</p><pre>a  b</pre>
  <script>if (1 < 2) say("no");</script>Run <code>ls</code>, <span translate="no">Acme</span> 1 < 2&nbsp;
</body></html>
"""
    segmented = split(html, "en")
    assert segmented.sentences == [
        "Salt & pepper", "One\xa0house is red.", "© Two", "cats", ".", "Run", ",", "1 < 2",
    ]  # fmt: skip
    translated = segmented.join(["T1 & <", "T2.", "© Two", "T4", ".", "T5", ",", "T6"])
    expected = html.replace("Salt &amp; pepper", "T1 &amp; &lt;").replace("One&nbsp;house\n    is red.", "T2.")
    expected = expected.replace("cats", "T4").replace("Run", "T5").replace("1 < 2&nbsp;", "T6&nbsp;")
    assert translated == expected


def test_references_of_what_is_not_changed_stay():
    segmented = split("<p>&#x4e2d;&#x6587;. &quot;A&quot; &gt; B.", "en")
    assert segmented.sentences == ["中文.", '"A" > B.']
    assert segmented.join(["中文.", '"C" > D.']) == '<p>&#x4e2d;&#x6587;. "C" &gt; D.'


@pytest.mark.parametrize(
    "html, translations, expected",
    [
        ("我爱<b>北京</b>。", ["I love", "Beijing", "."], "I love <b>Beijing</b>."),
        ("<p>你好。再见。</p>", ["Hello.", "Bye."], "<p>Hello. Bye.</p>"),
        ("<p>你好</p><p>再见</p>", ["Hello", "Bye"], "<p>Hello</p><p>Bye</p>"),  # paragraphs need none
        ("你好<b> 再见</b>", ["Hello", "Bye"], "Hello<b> Bye</b>"),
        ("你好 <b>再见</b>", ["Hello", "Bye"], "Hello <b>Bye</b>"),
        ("a<b>b</b>", ["x", "y"], "x<b>y</b>"),
        ("你好<i>&nbsp;</i>再见", ["Hello", "Bye"], "Hello<i>&nbsp;</i>Bye"),
    ],
)
def test_spaces_across_inline_tags(html, translations, expected):
    assert split(html, "zh").join(translations) == expected


def test_a_blank_document_has_nothing_to_translate():
    assert split(" \n<p>&nbsp;&#x200b;</p> <br> ").sentences == []


def test_deep_nesting():
    html = "<div><b>" * 20_000 + "One. Two." + "</b></div>" * 20_000
    segmented = split(html, "en")
    assert segmented.sentences == ["One.", "Two."]
    assert segmented.join(["1", "2"]) == html.replace("One. Two.", "1 2")


def test_lay_knows_both_formats():
    assert segment("<b>a</b>", "html").sentences == ["a"]
    assert segment("<b>a</b>").sentences == ["<b>a</b>"]
    assert segment("<b>a</b>").join(["<"]) == "<"
    assert segment("abcdef ghi", "html", "en", 5).sentences == ["abcde", "f ghi"]
