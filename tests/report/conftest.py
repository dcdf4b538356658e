"""A real browser, if there is one."""

from __future__ import annotations

import shutil
from types import SimpleNamespace

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]


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


@pytest.fixture
def opened(browser, tmp_path):
    """Opens a page and, at the end, sees to it that nothing was asked for, reported or run."""
    file = tmp_path / "page.html"
    seen = SimpleNamespace(requests=[], messages=[], contexts=[])

    def open_page(html, width=1400, javascript=True, **options):
        file.write_text(html, encoding="utf-8")
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=javascript, **options
        )
        seen.contexts.append(context)
        page = context.new_page()
        page.route("**/*", lambda route: (seen.requests.append(route.request.url), route.continue_()))
        page.on("console", lambda message: seen.messages.append(message.text))
        page.on("pageerror", lambda error: seen.messages.append(str(error)))
        page.on("dialog", lambda dialog: (seen.messages.append(dialog.message), dialog.dismiss()))
        page.goto(file.as_uri())
        return page

    yield open_page
    for context in seen.contexts:
        for page in context.pages:
            assert page.evaluate("window.__run") is None
        context.close()
    assert set(seen.requests) <= {file.as_uri()}
    assert seen.messages == []
