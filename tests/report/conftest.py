"""A real browser, if there is one."""

from __future__ import annotations

import shutil
from collections import defaultdict

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--in-process-gpu",
]


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window; skips, saying why, where it or what drives it is not at hand."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip(f"no browser: none of {', '.join(NAMES)} is on the path")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=path, args=QUIET)
        yield chromium
        chromium.close()


class Watched:
    """A page, what it asked for and what it reported."""

    def __init__(self, page):
        self.page, self.requests, self.messages = page, [], []
        page.route("**/*", lambda route: (self.requests.append(route.request.url), route.continue_()))
        page.on("console", lambda message: self.messages.append(message.text))
        page.on("pageerror", lambda error: self.messages.append(str(error)))
        page.on("dialog", lambda dialog: (self.messages.append(dialog.message), dialog.dismiss()))


@pytest.fixture(scope="session")
def unused():
    """Pages that nobody looks at any longer, by their windows: a new one is a process, and takes a second."""
    return defaultdict(list)


@pytest.fixture
def opened(browser, unused, tmp_path):
    """Opens a page and, at the end, sees to it that nothing was asked for, reported or run."""
    file, taken = tmp_path / "page.html", []

    def open_page(html, width=1400, javascript=True, color_scheme="light", **options):
        file.write_text(html, encoding="utf-8")
        options |= {"java_script_enabled": javascript}
        there = unused[repr(sorted(options.items()))]
        one = there.pop() if there else Watched(browser.new_context(**options).new_page())
        taken.append((one, there))
        one.page.set_viewport_size({"width": width, "height": 900})
        one.page.emulate_media(media="null", color_scheme=color_scheme)
        one.page.goto(file.as_uri())
        return one.page

    yield open_page
    for one, there in taken:
        assert one.page.evaluate("window.__run") is None
        assert set(one.requests) <= {file.as_uri()}
        assert one.messages == []
        one.requests.clear()
        there.append(one)
