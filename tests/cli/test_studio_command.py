"""`seqloom studio` is the server with a browser opened on its page."""

import os
import signal
import subprocess
import sys
import time
from urllib.request import urlopen

from tests.serving.conftest import MAIN

PATIENCE = 120


def test_the_browser_is_opened_on_a_page_that_is_served(models, tmp_path):
    opened, browser = tmp_path / "opened", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}.part && mv {opened}.part {opened}\n')
    browser.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "studio", str(models / "digits"), f"reviews={models / 'mood'}"],
        stdout=subprocess.DEVNULL, env={**os.environ, "BROWSER": f"{browser} %s", "OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        ends = time.monotonic() + PATIENCE
        while not opened.exists():
            assert process.poll() is None and time.monotonic() < ends
            time.sleep(0.1)
        address = opened.read_text()
        assert address.startswith("http://127.0.0.1:")
        with urlopen(address, timeout=60) as page:
            shown = page.read().decode()
        assert "<title>studio · seqloom</title>" in shown and '"name":"reviews"' in shown
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
    finally:
        process.kill()
