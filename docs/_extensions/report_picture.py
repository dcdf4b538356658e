"""The picture of the report in README and on the site, taken again: run it after the page has changed.

`python docs/_extensions/report_picture.py` needs chromium and the packages of `.[test]`.
"""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from PIL import Image
from playwright.sync_api import sync_playwright

from qpfs.cli import main as qpfs

PICTURE = Path(__file__).parents[1] / "_static" / "report.png"
SIZE = {"width": 1240, "height": 1330}
COMMAND = "qpfs select wdbc --top 10 --stability 20 --out"


def screenshot(page: Path) -> bytes:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE)
        tab.goto(page.as_uri())
        taken = tab.screenshot()
        browser.close()
    return taken


def main() -> None:
    with TemporaryDirectory() as folder, patch("sys.argv", [*COMMAND.split(), folder, "--force"]):
        try:
            qpfs()
        except SystemExit as end:
            if end.code:
                raise
        taken = Image.open(io.BytesIO(screenshot(Path(folder) / "report.html")))
    taken.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(PICTURE, optimize=True)  # 64 kB, not 200


if __name__ == "__main__":
    main()
