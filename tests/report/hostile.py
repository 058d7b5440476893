"""Names that programs can have and that no format may stumble over."""

from functools import cache
from typing import Any

from tests.report import samples

NAMES = {
    "script": "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=1>",
    "attribute": '" onmouseover="window.pwned=1" x=\'',
    "lines": "one\ntwo\r\nthree\u2028four",
    "command": "x\n::error file=a,line=1::pwned\n##[error]pwned\n::set-output name=a::b",
    "pipes": "a | b || c \\| d",
    "ticks": "a ` b `` c ``` d ```` e",
    "markdown": "# h\n- l\n> q [x](javascript:alert(1)) ![i](http://e.x/i) **b** <details> "
    "@someone #1 https://e.x/ $x$ /close",
    "bidi": "\u202eabc\u202c \u2066x\u2069 \u200f\u061c",
    "terminal": "\x1b[31mred\x1b]0;title\x07\x9b31m\x08\x00",
    "surrogate": "a\ud800b\udfff",
    "entity": "&lt;b&gt; &amp; ]]> <![CDATA[ <!-- --> %0A %25",
    "mermaid": 'end"]; click n0 "javascript:alert(1)"; %%{init: {}}%% subgraph x --> y #quot; ;',
    "template": "{{ 7*7 }} {% raw %} ${x} $(x) `x`",
    "long": "n" * 10_000,
    "wide": "漢字🏳️‍🌈" * 50,
    "empty": "",
    "blank": "   ",
}


@cache
def hostile(name: str) -> Any:
    """The example with this text in front of every name, uid and path; a blank one instead of every name."""
    text = NAMES[name]
    if text.strip():
        return samples.named(lambda plain: text + plain)
    return samples.named(lambda plain: text if plain[0].isupper() else plain)
