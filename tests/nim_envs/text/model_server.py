"""A server with OpenAI's interface for tests, with faults on request."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np

FAULTS = ("429", "500", "cut", "garbage", "empty", "close", "slow")


class ModelServer:
    """Answers prompts by a function; some attempts fail, each prompt's last one allowed does not.

    Args:
        answer: function of a prompt to a reply.
        faults: kinds of faults, drawn at random for the first attempts at a prompt.
        share: probability of a fault.
        most: most faults of a prompt in a row.
        seconds: longest delay of a reply.
        after: number of requests after which ``code`` is the response; ``None``: never.
        code: that response.
    """

    def __init__(
        self, answer, faults=(), share=0.4, most=3, seconds=0.0, seed=0, code=None, usage=True
    ):
        self.answer, self.faults, self.share, self.most = answer, faults, share, most
        self.seconds, self.code, self.usage = seconds, code, usage
        self.rng = np.random.default_rng(seed)
        self.lock = threading.Lock()
        self.faulty = Counter()
        self.paid = Counter()
        """Complete replies that were sent, by prompt."""
        self.bodies, self.headers = [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                outer.reply(self)

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"

    def __enter__(self):
        threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def reply(self, handler):
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        prompt = body["messages"][-1]["content"]
        with self.lock:
            self.bodies.append(body)
            self.headers.append(dict(handler.headers))
            fault = None
            if self.faults and self.faulty[prompt] < self.most and self.rng.random() < self.share:
                fault = self.faults[int(self.rng.integers(len(self.faults)))]
                self.faulty[prompt] += 1
            delay = float(self.rng.random()) * self.seconds
        if self.code is not None:
            return self.send(handler, self.code, b'{"error": "no"}')
        if fault in ("429", "500"):
            header = {"Retry_After": "0.01"} if fault == "429" else {}
            return self.send(handler, int(fault), b"later", **header)
        if fault == "close":
            handler.close_connection = True
            return None
        if fault == "slow":
            delay += 2.0
        time.sleep(delay)
        text = self.answer(prompt)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(text), "total_tokens": 0}
        content = json.dumps(
            {
                "id": "0",
                "object": "chat.completion",
                "created": 0,
                "model": "stand-in",
                "choices": [
                    {
                        "index": 0,
                        "finish_reason": "stop",
                        "message": {"role": "assistant", "content": text},
                    }
                ],
                **({"usage": usage} if self.usage else {}),
            }
        ).encode()
        if fault == "cut":
            return self.send(handler, 200, content[:-20], length=len(content))
        if fault == "garbage":
            return self.send(handler, 200, b"\x00\xff<html>")
        if fault == "empty":
            return self.send(handler, 200, b'{"choices": []}')
        with self.lock:
            self.paid[prompt] += 1
        return self.send(handler, 200, content)

    def send(self, handler, code, content, length=None, **headers):
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(length or len(content)))
        handler.end_headers()
        handler.wfile.write(content)
        handler.wfile.flush()
        if length is not None:
            handler.close_connection = True
