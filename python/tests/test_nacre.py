"""The package against itself, over loopback. NACRE names the program, NACRE_RUNTIME the library."""

from __future__ import annotations

import copy
import dataclasses
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import nacre
from stacks import BAD, EXAMPLES, reliable, secure

E = TypeVar("E")


def until(listener: nacre.Listener, kind: type[E], *others: nacre.Listener) -> E:
    """The next event of a kind; others are passed over. Meanwhile other listeners are driven."""
    for _ in range(60_000):
        for other in others:
            while other.poll(0) is not None:
                pass
        event = listener.poll(0.001)
        if isinstance(event, kind):
            return event
    raise AssertionError(f"no {kind.__name__}")


class Stacks(unittest.TestCase):
    def test_other_objects_than_expected_are_named(self) -> None:
        keys = nacre.Keys.generate()
        for wrong in (5, "text", b"x" * 32, nacre.Keys, object()):
            self.assertRaisesRegex(TypeError, "keys is a Keys", nacre.Listener, "127.0.0.1", keys=wrong)
            self.assertRaisesRegex(TypeError, "faults is a Faults", nacre.Listener, "127.0.0.1", faults=wrong)
            with nacre.Listener("127.0.0.1", keys=keys) as one:
                self.assertRaisesRegex(TypeError, "a stack is a Stack", one.serve, wrong)
                self.assertRaisesRegex(TypeError, "a stack is a Stack", one.connect, "127.0.0.1", 9, wrong)
                if not callable(wrong):
                    self.assertRaisesRegex(TypeError, "given is a Mapping", one.serve, reliable, wrong)
                with self.assertRaisesRegex(TypeError, "given is a Mapping"):
                    one.connect("127.0.0.1", 9, reliable, given=wrong)  # type: ignore[arg-type]

    def test_errors_say_what_is_wrong(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "wrong.nacre"
            source.write_text("stack wrong = nothing / floor;\n")
            with self.assertRaisesRegex(nacre.StackError, "wrong.nacre:1"):
                nacre.Stack.compile(source, "wrong")
            with self.assertRaisesRegex(nacre.StackError, "there is no stack"):
                nacre.Stack.compile(EXAMPLES / "reliable.nacre", "other")
            with self.assertRaisesRegex(nacre.StackError, "cannot run"):
                nacre.Stack.compile(source, "wrong", nacre=str(source))
            with self.assertRaisesRegex(nacre.StackError, "no such.so"):
                nacre.Stack(Path(folder) / "no such.so", "reliable")
            source.with_suffix(".so").write_bytes(b"no object")
            with self.assertRaises(nacre.StackError):
                nacre.Stack(source.with_suffix(".so"), "reliable")

    def test_compiled_stack_is_loaded_without_a_compiler(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            build = [os.environ["NACRE"], "build", str(EXAMPLES / "reliable.nacre"), "--stack", "reliable"]
            subprocess.run([*build, "--shared", "--level", "call", "-o", folder], check=True, capture_output=True)
            program = (
                "import sys, nacre\n"
                "stack = nacre.Stack('reliable.so', 'reliable')\n"
                "with nacre.Listener('127.0.0.1') as listener:\n"
                "    listener.serve(stack)\n"
                "try:\n"
                "    nacre.Stack('reliable.so', 'other')\n"
                "except nacre.StackError as error:\n"
                "    print('other_stack' in str(error))\n"
            )
            package = str(Path(nacre.__file__).parents[1])
            environment = {**os.environ, "PATH": "/nowhere", "NACRE": "", "PYTHONPATH": package}
            command = [sys.executable, "-c", program]
            ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
            self.assertEqual((ran.returncode, ran.stdout), (0, "True\n"), ran.stderr)


class Listeners(unittest.TestCase):
    def test_messages_go_there_and_back_over_a_bad_network(self) -> None:
        with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1", faults=BAD) as client:
            server.serve(reliable)
            connection = client.connect("127.0.0.1", server.port, reliable)
            received: list[bytes] = []
            echoes: list[nacre.Delivered] = []
            sent = 0
            while len(received) < 300:
                if sent < 300 and sent < len(received) + 8:
                    try:
                        connection.send(b"message %d" % sent)
                        sent += 1
                    except nacre.Refused:
                        pass
                while (event := server.poll(0)) is not None:
                    if isinstance(event, nacre.Delivered):
                        echoes.append(event)
                while echoes and echoes[0].connection.accepts(len(echoes[0].message)):
                    echo = echoes.pop(0)
                    echo.connection.send(echo.message)
                while (event := client.poll(0.001)) is not None:
                    if isinstance(event, nacre.Delivered):
                        received.append(event.message)
            self.assertEqual(received, [b"message %d" % n for n in range(300)])
            self.assertGreater(connection.counters()["pt2pt.retransmitted"], 0)
            self.assertGreaterEqual(connection.statistics().frames_in, 300)
            self.assertEqual(connection.peer, nacre.Address("127.0.0.1", server.port))
            self.assertEqual(client.statistics().connections, 1)

    def test_listeners_are_not_copied_and_events_are(self) -> None:
        with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
            server.serve(reliable)
            connection = client.connect("127.0.0.1", server.port, reliable)
            arrived = until(server, nacre.Arrived, client)
            for wrong in (server, client.waker()):
                self.assertRaisesRegex(TypeError, "cannot be copied", copy.copy, wrong)
                self.assertRaisesRegex(TypeError, "cannot be copied", copy.deepcopy, wrong)
            self.assertEqual(dataclasses.asdict(arrived)["connection"], arrived.connection)
            self.assertIs(copy.copy(connection), connection)

    def test_frames_of_strangers_are_counted(self) -> None:
        with nacre.Listener("127.0.0.1") as server, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            server.serve(reliable)
            for length in (1, 40):
                stranger.sendto(b"\x00" * length, ("127.0.0.1", server.port))
            for _ in server.events(0.2):
                pass
            counts = server.counts()
            self.assertEqual(sum(counts.values()), 2, counts)
            self.assertGreater(counts["malformed"], 0)

    def test_wrong_values_are_refused_before_anything_happens(self) -> None:
        with nacre.Listener("127.0.0.1") as listener:
            connection = listener.connect("127.0.0.1", 7, reliable)
            calls: tuple[Callable[[], object], ...] = (
                lambda: listener.connect("127.0.0.1", 65536, reliable),
                lambda: listener.connect("local\0host", 7, reliable),
                lambda: connection.close(1 << 32),
                lambda: connection.refuse(-1),
                lambda: connection.grant(1 << 16),
                lambda: connection.call("send", 1 << 64),
                lambda: connection.call("send", 1, 2, 3, 4, 5),
                lambda: listener.connect("127.0.0.1", 8, reliable, expect=b"short"),
                lambda: listener.connect("127.0.0.1", 8, reliable, given={"floor.identity": 1 << 64}),
                lambda: listener.connect("127.0.0.1", 8, reliable, given={"floor.nothing": 1}),
                lambda: nacre.Listener("127.0.0.1", timeout_ms=1 << 32),
                lambda: nacre.Listener("127.0.0.1", faults=nacre.Faults(loss=2)),
                lambda: nacre.Listener("127.0.0.1", faults=nacre.Faults(delay_ms=-5)),
                lambda: connection.accepts(1 << 64),
                lambda: listener.poll(float("nan")),
                lambda: nacre.Listener("127.0.0.1", psk=b"short"),
                lambda: nacre.key_read("no key"),
                lambda: nacre.Keys(b"short"),
            )
            for call in calls:
                with self.assertRaises(ValueError):
                    call()
            self.assertEqual(listener.statistics().connections, 1)
            with self.assertRaises(TypeError):
                nacre.Listener("127.0.0.1", no_such_option=1)
            wrong: tuple[Callable[[], object], ...] = (
                lambda: connection.send(5),  # type: ignore[arg-type]
                lambda: connection.send("text"),  # type: ignore[arg-type]
                lambda: connection.close(1.5),  # type: ignore[arg-type]
                lambda: listener.connect("127.0.0.1", 8, reliable, given={"a": 1.5}),  # type: ignore[dict-item]
                lambda: listener.connect(b"127.0.0.1", 8, reliable),  # type: ignore[arg-type]
                lambda: nacre.Listener("127.0.0.1", faults=nacre.Faults(delay_ms=1.5)),  # type: ignore[arg-type]
            )
            for call in wrong:
                with self.assertRaises(TypeError):
                    call()
            for host, port in (("127.0.0.1", 0), ("::1", 7)):
                with self.assertRaises(nacre.NacreError):
                    listener.connect(host, port, reliable)
            with self.assertRaises(OSError):
                nacre.Listener("192.0.2.1")
            with self.assertRaises(nacre.TooLong):
                connection.send(bytes(connection.max_message + 1))
            with self.assertRaises(nacre.NacreError):
                connection.call("no such event")
            connection.discard()
            with self.assertRaises(nacre.ConnectionEnded):
                connection.send(b"late")
            for call in (connection.statistics, connection.counters):
                with self.assertRaises(nacre.ConnectionEnded):
                    call()
        calls = (lambda: listener.poll(0), lambda: connection.send(b"late"), lambda: listener.port)
        for late in calls:
            with self.assertRaises(ValueError):
                late()
        listener.close()

    def test_given_values_are_set_for_each_connection(self) -> None:
        asked = []

        def given(peer: nacre.Address | None) -> nacre.Given:
            asked.append(peer)
            return {}

        with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
            server.serve(reliable, given)
            first = client.connect("127.0.0.1", server.port, reliable, given={"floor.identity": 1})
            second = client.connect("127.0.0.1", server.port, reliable, given={"floor.identity": 2})
            self.assertNotEqual(first, second)
            opened = {until(client, nacre.Opened, server).connection, until(client, nacre.Opened, server).connection}
            self.assertEqual(opened, {first, second})
            self.assertEqual(asked, [nacre.Address("127.0.0.1", client.port)] * 2)

    def test_peer_whose_given_values_cannot_be_set_is_refused(self) -> None:
        def fails(peer: nacre.Address | None) -> nacre.Given:
            raise KeyError("no values for it")

        values: tuple[nacre.Given | Callable[[nacre.Address | None], nacre.Given], ...] = (fails, {"floor.nothing": 1})
        for given in values:
            with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
                server.serve(reliable, given)
                with self.assertLogs("nacre") as logged:
                    client.connect("127.0.0.1", server.port, reliable)
                    self.assertEqual(until(client, nacre.Closed, server).reason, nacre.Reason.REFUSED)
                self.assertIn("given values could not be set", logged.output[0])
                self.assertEqual(server.statistics().connections, 0)

    def test_peer_is_refused_if_the_log_raises_too(self) -> None:
        class Raises(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                raise OSError("the log is full")

        handler = Raises()
        logging.getLogger("nacre").addHandler(handler)
        self.addCleanup(logging.getLogger("nacre").removeHandler, handler)
        with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
            server.serve(reliable, {"floor.nothing": 1})
            client.connect("127.0.0.1", server.port, reliable)
            self.assertEqual(until(client, nacre.Closed, server).reason, nacre.Reason.REFUSED)
            self.assertEqual(server.statistics().connections, 0)
            self.assertEqual(server.counts()["not_accepted"], 1)

    def test_code_and_text_come_with_the_end(self) -> None:
        with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
            server.serve(reliable)
            connection = client.connect("127.0.0.1", server.port, reliable)
            arrived = until(server, nacre.Arrived, client)
            arrived.connection.refuse(9, "füll")
            closed = until(client, nacre.Closed, server)
            self.assertEqual((closed.connection, closed.reason), (connection, nacre.Reason.REFUSED))
            self.assertEqual((closed.code, closed.text), (9, "füll"))
            connection = client.connect("127.0.0.1", server.port, reliable)
            until(client, nacre.Opened, server)
            connection.close(3, "done")
            closed = until(server, nacre.Closed, client)
            self.assertEqual((closed.reason, closed.code, closed.text), (nacre.Reason.CLOSED, 3, "done"))
            closed.connection.linger()

    def test_secure_connection_knows_its_peer(self) -> None:
        keys = [nacre.Keys.generate() for _ in range(3)]
        self.assertEqual(nacre.key_read(nacre.key_text(keys[0].public)), keys[0].public)
        with nacre.Listener("127.0.0.1", keys=keys[0]) as server, nacre.Listener("127.0.0.1", keys=keys[1]) as client:
            server.serve(secure)
            client.connect("127.0.0.1", server.port, secure, expect=keys[0].public)
            self.assertEqual(until(client, nacre.Opened, server).peer_key, keys[0].public)
            with nacre.Listener("127.0.0.1", keys=keys[2], timeout_ms=1500) as other:
                other.connect("127.0.0.1", server.port, secure, expect=keys[1].public)
                self.assertNotEqual(until(other, nacre.Closed, server).reason, nacre.Reason.CLOSED)

    def test_other_threads_wake_a_listener_and_use_it_not(self) -> None:
        with nacre.Listener("127.0.0.1") as listener:
            waker = listener.waker()
            for _ in range(20):
                thread = threading.Thread(target=waker.wake)
                thread.start()
                self.assertIsNone(listener.poll(None))
                thread.join()
            # It waits until it is woken: the other thread finds it in use for as long.
            thread = threading.Thread(target=listener.poll, args=(None,))
            thread.start()
            while listener._owner is None:
                time.sleep(0.001)
            for use in (lambda: listener.poll(0), listener.fileno, listener.close):
                with self.assertRaisesRegex(RuntimeError, "another thread"):
                    use()
            waker.wake()
            thread.join()
            self.assertIsNone(listener.poll(0))

    def test_signals_are_handled_while_a_call_waits(self) -> None:
        def interrupt(number: int, frame: object) -> None:
            raise InterruptedError

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with nacre.Listener("127.0.0.1") as listener, self.assertRaises(InterruptedError):
                signal.setitimer(signal.ITIMER_REAL, 0.05)
                listener.poll(None)
            with nacre.Listener("127.0.0.1") as listener:
                connection = listener.connect("127.0.0.1", 9, reliable)
                with self.assertRaises(InterruptedError):
                    signal.setitimer(signal.ITIMER_REAL, 0.05)
                    while True:
                        connection.send_blocking(bytes(50_000))
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def test_handlers_of_signals_that_raise_lose_no_event(self) -> None:
        armed = False
        interrupted = 0

        def interrupt(number: int, frame: types.FrameType | None) -> None:
            # Elsewhere the test itself would lose what it has just been given.
            if armed and frame is not None and Path(frame.f_code.co_filename).parent.name == "nacre":
                raise InterruptedError

        sent = 0
        received: list[bytes] = []
        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
                server.serve(reliable)
                connection = client.connect("127.0.0.1", server.port, reliable)
                until(client, nacre.Opened, server)
                signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0007)
                while interrupted < 300 and sent < 200_000:
                    if connection.accepts(8):
                        connection.send(sent.to_bytes(8, "big"))
                        sent += 1
                    client.poll(0)
                    event: nacre.Event | None = None
                    armed = True
                    try:
                        event = server.poll(0)
                    except InterruptedError:
                        interrupted += 1
                    armed = False
                    if isinstance(event, nacre.Delivered):
                        received.append(event.message)
                signal.setitimer(signal.ITIMER_REAL, 0)
                while len(received) < sent:
                    received.append(until(server, nacre.Delivered, client).message)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertGreater(interrupted, 0)
        self.assertEqual(received, [number.to_bytes(8, "big") for number in range(sent)])

    def test_handlers_of_signals_may_close_a_listener_and_leave_it_usable(self) -> None:
        listener = nacre.Listener("127.0.0.1")
        refused = []

        def close(number: int, frame: object) -> None:
            try:
                listener.next_timeout()
            except RuntimeError as error:
                refused.append(str(error))
            listener.close()

        def interrupt(number: int, frame: object) -> None:
            raise InterruptedError

        before = signal.signal(signal.SIGALRM, close)
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            with self.assertRaisesRegex(ValueError, "closed"):
                listener.poll(None)
            self.assertTrue(all("call of the listener goes on" in text for text in refused))
            # Handlers that raise, at any time, lock nobody out.
            signal.signal(signal.SIGALRM, interrupt)
            with nacre.Listener("127.0.0.1") as server, nacre.Listener("127.0.0.1") as client:
                server.serve(reliable)
                connection = client.connect("127.0.0.1", server.port, reliable)
                for _ in range(100):
                    with self.assertRaises(InterruptedError):
                        signal.setitimer(signal.ITIMER_REAL, 0.001)
                        while True:
                            for end in (server, client):
                                while end.poll(0) is not None:
                                    pass
                            if connection.accepts(1):
                                connection.send(b"x")
                self.assertIsNotNone(connection.peer)
                self.assertGreater(server.port, 0)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    unittest.main()
