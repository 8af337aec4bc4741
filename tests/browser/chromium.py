"""A browser to test with: headless Chromium, driven over a pipe by the Chrome DevTools Protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SECONDS = 20.0

_OPTIONS = (
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-gpu",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--hide-scrollbars",
    "--mute-audio",
    "--window-size=1280,900",
)

# The protocol is spoken over the descriptors 3 and 4 of the browser.
_START = """
import fcntl, os, sys
commands, answers = (fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3])
os.dup2(commands, 3)
os.dup2(answers, 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def find() -> str | None:
    """The program, if there is one."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Chromium:
    """A browser with a profile of its own that is deleted afterwards."""

    def __init__(self, program: str) -> None:
        self._profile = tempfile.mkdtemp(prefix="keepgraph-chromium-")
        command_read, command_write = os.pipe()
        answer_read, answer_write = os.pipe()
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                _START,
                str(command_read),
                str(answer_write),
                program,
                *_OPTIONS,
                *sandbox,
                f"--user-data-dir={self._profile}",
                "about:blank",
            ],
            pass_fds=(command_read, answer_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_read)
        os.close(answer_write)
        self._write, self._read = command_write, answer_read
        self._unread = b""
        self._next = 0
        self.pages: dict[str, Page] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=_SECONDS)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self._profile, ignore_errors=True)

    @contextmanager
    def page(
        self, address: str, *, width: int = 1280, height: int = 900, dark: bool = False, beside: Page | None = None
    ) -> Iterator[Page]:
        """A page in a context of its own, which it shares with no other page; or another tab beside a page."""
        context = beside.context if beside else self.send("Target.createBrowserContext")["browserContextId"]
        target = self.send("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, context)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        page.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        page.send("Emulation.setEmulatedMedia", features=[scheme, motion])
        page.open(address)
        try:
            yield page
        finally:
            if beside is None:
                self.send("Target.disposeBrowserContext", browserContextId=context)
            else:
                self.send("Target.closeTarget", targetId=target)
            del self.pages[session]

    @contextmanager
    def frame(self, address: str) -> Iterator[Page]:
        """The frame of another origin whose address begins so."""
        until = time.monotonic() + _SECONDS
        while True:
            targets = self.send("Target.getTargets")["targetInfos"]
            found = [
                each["targetId"] for each in targets if each["type"] == "iframe" and each["url"].startswith(address)
            ]
            if found:
                break
            if time.monotonic() > until:
                raise AssertionError(f"no frame of {address}: {[each['url'] for each in targets]}")
            time.sleep(0.02)
        session = self.send("Target.attachToTarget", targetId=found[0], flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Runtime", "Network", "Log"):
            page.send(f"{domain}.enable")
        try:
            yield page
        finally:
            del self.pages[session]

    def send(self, method: str, /, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a command, and wait for its answer; events that come before it go to their pages."""
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": parameters}
        if session is not None:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return dict(answer["result"])

    def _receive(self) -> dict[str, Any]:
        while b"\0" not in self._unread:
            received = os.read(self._read, 1 << 16)
            if not received:
                raise RuntimeError("the browser has ended")
            self._unread += received
        message, _, self._unread = self._unread.partition(b"\0")
        decoded = json.loads(message)
        if "method" in decoded and (page := self.pages.get(decoded.get("sessionId", ""))):
            page.hear(decoded["method"], decoded["params"])
        return dict(decoded)


class Page:
    """A page that is open.

    Attributes:
        context: what it shares with tabs beside it.
        requests: the addresses of what it asked for.
        problems: errors and warnings in its console, and exceptions.
    """

    def __init__(self, browser: Chromium, session: str, context: str | None = None) -> None:
        self._browser = browser
        self.context = context
        self._session = session
        self.requests: list[str] = []
        self.problems: list[str] = []
        self._unanswered: set[str] = set()

    def send(self, method: str, /, **parameters: Any) -> dict[str, Any]:
        return self._browser.send(method, session=self._session, **parameters)

    def hear(self, event: str, parameters: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
            self._unanswered.add(parameters["requestId"])
        elif event in ("Network.loadingFinished", "Network.loadingFailed"):
            self._unanswered.discard(parameters["requestId"])
        elif event == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.problems.append(" ".join(str(each.get("value", each)) for each in parameters["args"]))
        elif event == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
            self._note(parameters["entry"]["text"])

    def wait_for_problem(self, text: str) -> None:
        """Wait until there is a problem with this text."""
        until = time.monotonic() + _SECONDS
        while not any(text in problem for problem in self.problems):
            if time.monotonic() > until:
                raise AssertionError(f"no problem says {text!r}: {self.problems}")
            self.evaluate("1")  # events come with answers
            time.sleep(0.02)

    def _note(self, text: str) -> None:
        if "GL Driver Message" not in text:  # how the software that draws here does it
            self.problems.append(text)

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)
        self.wait_for("document.readyState === 'complete'")

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript, a promise's too."""
        answer = self.send(
            "Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait_for(self, condition: str, *, seconds: float = _SECONDS) -> Any:
        """Wait until an expression is true; returns its value."""
        until = time.monotonic() + seconds
        while True:
            try:
                if value := self.evaluate(condition):
                    return value
            except RuntimeError as error:
                if time.monotonic() > until:
                    raise AssertionError(f"{condition}: {error}; the page shows: {self.text()[:500]}") from error
            if time.monotonic() > until:
                raise AssertionError(f"{condition} never became true; the page shows: {self.text()[:500]}")
            time.sleep(0.02)

    def wait_until_still(self) -> None:
        """Wait until all that the page asked for is answered and drawn."""
        until = time.monotonic() + _SECONDS
        while True:
            self.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done, 50)))")
            if not self._unanswered:
                return
            if time.monotonic() > until:
                raise AssertionError(f"the page still waits for {len(self._unanswered)} answers: {self.text()[:500]}")

    def wait_for_text(self, text: str, *, within: str = "body") -> None:
        self.wait_for(f"document.querySelector({json.dumps(within)})?.innerText.includes({json.dumps(text)})")

    def text(self, within: str = "body") -> str:
        return str(self.evaluate(f"document.querySelector({json.dumps(within)})?.innerText ?? ''"))

    def click(self, selector: str, *, text: str | None = None) -> None:
        """Click the first element of a selector that is to be seen, and that has a text, if one is given."""
        find = f"""
            [...document.querySelectorAll({json.dumps(selector)})].find(e => e.getClientRects().length
            && ({json.dumps(text)} === null || (e.innerText || e.getAttribute('aria-label') || '').trim()
            .includes({json.dumps(text)})))
        """
        self.wait_for(f"!!({find})")
        place = self.evaluate(
            f"(() => {{ const e = {find}; e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect();"
            " return [r.x + r.width / 2, r.y + r.height / 2]; })()"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def fill(self, selector: str, text: str) -> None:
        """Write into a field as a person does who replaces what is there."""
        self.wait_for(f"!!document.querySelector({json.dumps(selector)})")
        self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus(); e.select?.(); }})()"
        )
        self.send("Input.insertText", text=text)

    def select(self, selector: str, value: str) -> None:
        """Choose an option of a list by its value, once it is there."""
        options = f"[...document.querySelectorAll({json.dumps(f'{selector} option')})]"
        self.wait_for(f"{options}.some(o => o.value === {json.dumps(value)})")
        self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)}); e.focus();"
            f" e.value = {json.dumps(value)}; e.dispatchEvent(new Event('change', {{bubbles: true}})); }})()"
        )

    def press(self, key: str, *, modifiers: int = 0) -> None:
        """Press a key: Enter, Tab, Escape, ArrowDown, or a letter. Modifiers: 1 Alt, 2 Ctrl, 4 Meta, 8 Shift."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}
        code = codes.get(key, ord(key.upper()[0]))
        texts = {"Enter": "\r"} if not modifiers else {}
        text = texts.get(key, key if len(key) == 1 and not modifiers & 7 else "")
        event = {"key": key, "windowsVirtualKeyCode": code, "modifiers": modifiers}
        event["code"] = key if len(key) > 1 else f"Key{key.upper()}"
        self.send("Input.dispatchKeyEvent", type="keyDown", **event, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **event)

    def picture(self, file: Path) -> None:
        """A screenshot in PNG."""
        file.write_bytes(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))
