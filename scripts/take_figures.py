"""Takes the pictures of the documentation: the page and the pull request's comment of the example, in Chromium.

``.venv/bin/python scripts/take_figures.py`` after a change of the page or of the comment (``scripts/ensure-chromium``
installs the browser); then look at ``docs/figures``.
"""

import shutil
import struct
import sys
import tempfile
import zlib
from collections import Counter
from pathlib import Path

from markdown_it import MarkdownIt
from playwright.sync_api import Browser, sync_playwright

HERE = Path(__file__).resolve().parents[1]
FIGURES = HERE / "docs" / "figures"
sys.path[:0] = [str(HERE), str(HERE / "examples")]

from make_repository import make_repository  # noqa: E402

from checker.cli import run  # noqa: E402

_COMMENT = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; padding: 16px; background: #fff; color: #1f2328; font: 14px/1.5 system-ui, sans-serif; }
.comment { border: 1px solid #d1d9e0; border-radius: 6px; } .by { padding: 8px 16px; background: #f6f8fa; }
.body { padding: 4px 16px 12px; } h2 { font-size: 20px; border-bottom: 1px solid #d1d9e0; padding-bottom: 6px; }
.red { color: #cf222e; } details { margin: 10px 0; }
table { border-collapse: collapse; }
th, td { border: 1px solid #d1d9e0; padding: 6px 12px; text-align: left; vertical-align: top; }
code { padding: 2px 5px; background: #eff1f3; border-radius: 6px; font: 12px ui-monospace, monospace; }
</style><div class="comment"><div class="by">
<b>github-actions</b> commented</div><div class="body">{body}</div></div>"""


def main() -> None:
    """Check the example and write both pictures."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        sys.exit("no Chromium found: scripts/ensure-chromium installs it")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        folder = Path(scratch)
        make_repository(folder / "orders")
        page, comment = folder / "page.html", folder / "comment.md"
        asked = ["--repo", str(folder / "orders"), "--base", "v1.0.0", "--head", "main~1"]
        run(["check", *asked, "--output", str(page), "--output", str(comment)])
        body = MarkdownIt("commonmark", {"html": True}).enable("table").render(comment.read_text(encoding="utf-8"))
        html = folder / "comment.html"
        for sign in "❌🔴":  # a machine without a font for emoji shows boxes
            body = body.replace(sign, '<span class="red">●</span>')
        html.write_text(_COMMENT.replace("{body}", body), encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        take(browser, page, FIGURES / "page.png", (1280, 1040))
        take(browser, html, FIGURES / "comment.png", (1180, 420))
        browser.close()


def take(browser: Browser, html: Path, target: Path, size: tuple[int, int]) -> None:
    """The top of a page as a picture."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.goto(html.as_uri())
    page.wait_for_timeout(500)
    height = min(size[1], page.evaluate("document.body.scrollHeight"))
    clip = {"x": 0, "y": 0, "width": size[0], "height": height}
    target.write_bytes(in_few_colours(page.screenshot(clip=clip)))
    print(f"{target.relative_to(HERE)}: {target.stat().st_size // 1024} kB")


def in_few_colours(png: bytes) -> bytes:
    """The picture (8 bits, RGB or RGBA, as Chromium writes it) with a palette of its 256 most frequent colours."""
    width, height, kind = *struct.unpack(">II", png[16:24]), png[25]
    step = {2: 3, 6: 4}[kind]
    packed, at = b"", 8
    while at < len(png):
        length, name = struct.unpack(">I4s", png[at : at + 8])
        packed += png[at + 8 : at + 8 + length] if name == b"IDAT" else b""
        at += length + 12
    raw, above = zlib.decompress(packed), bytearray(width * step)
    pixels: list[bytes] = []
    for y in range(height):
        start = y * (width * step + 1)
        above = _unfiltered(raw[start], raw[start + 1 : start + 1 + width * step], above, step)
        pixels += [bytes(above[x : x + 3]) for x in range(0, width * step, step)]
    counted = Counter(pixels)
    palette = [colour for colour, _ in counted.most_common(256)]
    place = {colour: number for number, colour in enumerate(palette)}
    for colour in counted.keys() - place.keys():
        place[colour] = min(
            range(256), key=lambda n: sum((a - b) ** 2 for a, b in zip(palette[n], colour, strict=True))
        )
    rows = (b"\0" + bytes(place[c] for c in pixels[y * width : (y + 1) * width]) for y in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    chunks = (
        (b"IHDR", head),
        (b"PLTE", b"".join(palette)),
        (b"IDAT", zlib.compress(b"".join(rows), 9)),
        (b"IEND", b""),
    )
    sealed = (struct.pack(">I", len(c)) + n + c + struct.pack(">I", zlib.crc32(n + c)) for n, c in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(sealed)


def _unfiltered(kind: int, line: bytes, above: bytearray, step: int) -> bytearray:
    """One row of a PNG as its filter left it (RFC 2083, 6)."""
    row = bytearray(line)
    for x in range(len(row)):
        left, up, corner = (row[x - step], above[x], above[x - step]) if x >= step else (0, above[x], 0)
        if kind == 4:
            guess = left + up - corner
            near = min((abs(guess - v), order, v) for order, v in enumerate((left, up, corner)))[2]
        else:
            near = (0, left, up, (left + up) // 2)[kind]
        row[x] = (row[x] + near) & 255
    return row


if __name__ == "__main__":
    main()
