"""Makes the pictures of the documents, of the graph of `kg demo`: `make pictures`, where there is a Chromium."""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import keepgraph
from keepgraph.web.server import PageServer

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from browser.chromium import Chromium, find  # noqa: E402 (the tests are no package of ours)

TARGET = ROOT / "docs" / "pictures"
SIZE = {"width": 1400, "height": 900}


def main() -> None:
    program = find()
    if program is None:
        sys.exit("There is no Chromium on this machine.")
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "club.db"
        demo = [sys.executable, "-m", "keepgraph.cli", "demo", "--into", str(file)]
        subprocess.run(demo, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
        graph = keepgraph.open(file)
        graph.call("build_communities", group_ids=["default"])
        centre = graph.call("recall_entity", name_or_alias="The Salt Road")["entity"]["id"]
        addresses = {"today": "today", "story": f"thing/{centre}", "review": "review", "map": "map"}
        over = threading.Event()
        server = PageServer(graph, clock=time.monotonic)
        thread = threading.Thread(target=server.serve_until, args=[over.is_set])
        thread.start()
        with Chromium(program) as browser:
            try:
                for name, address in addresses.items():
                    for dark in (False, True) if name != "today" else (False,):
                        file = TARGET / f"{name}{'-dark' if dark else ''}.png"
                        picture(browser, server, address, file, dark=dark)
            finally:
                over.set()
                thread.join()
        server.server_close()
        graph.close()


def picture(browser: Chromium, server: PageServer, address: str, file: Path, *, dark: bool) -> None:
    with browser.page(server.address_with_token, **SIZE, dark=dark) as page:
        page.wait_for("!!document.querySelector('main h1')")
        page.evaluate(f"location.hash = '#/{address}'")
        page.wait_for(f"!!document.querySelector('nav [href=\"#/{address}\"][aria-current], .thing')")
        page.wait_for("!document.querySelector('main [aria-busy=true]') && !!document.querySelector('main h1')")
        time.sleep(1)  # a canvas is drawn a frame later, and lines of messages have come
        clip = {"x": 0, "y": 0, **SIZE, "scale": 1}
        file.write_bytes(base64.b64decode(page.send("Page.captureScreenshot", format="png", clip=clip)["data"]))
    print(f"{file.relative_to(ROOT)}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
