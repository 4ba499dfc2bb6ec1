"""The package against itself, over loopback. NACRE names the program, NACRE_RUNTIME the library."""

from __future__ import annotations

import asyncio
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import nacre
from nacre import aio

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = 60.0
BAD = nacre.Faults(loss=0.05, duplicate=0.05, reorder=0.1, seed=7)

reliable = nacre.Stack.compile(EXAMPLES / "reliable.nacre", "reliable")
secure = nacre.Stack.compile(EXAMPLES / "secure.nacre", "secure", level="inline")
with tempfile.TemporaryDirectory() as _folder:
    _source = Path(_folder) / "credited.nacre"
    _layers = ("credit", "pt2pt", "floor")
    _source.write_text(
        "".join(f'import "nacre/{layer}.nacre";\n' for layer in _layers)
        + "stack credited = credit / pt2pt<64> / floor;\n"
    )
    credited = nacre.Stack.compile(_source, "credited", level="inline")


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
                        event.connection.send(event.message)
                while (event := client.poll(0.001)) is not None:
                    if isinstance(event, nacre.Delivered):
                        received.append(event.message)
            self.assertEqual(received, [b"message %d" % n for n in range(300)])
            self.assertGreater(connection.counters()["pt2pt.retransmitted"], 0)
            self.assertGreaterEqual(connection.statistics().frames_in, 300)
            self.assertEqual(connection.peer, nacre.Address("127.0.0.1", server.port))
            self.assertEqual(client.statistics().connections, 1)

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


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def echo(self, server: aio.Endpoint) -> None:
        async def answer(connection: aio.Connection) -> None:
            async for message in connection:
                await connection.send(message)

        async for connection in server:
            task = asyncio.ensure_future(answer(connection))
            self.tasks.append(task)

    async def asyncSetUp(self) -> None:
        self.tasks: list[asyncio.Future[None]] = []

    async def asyncTearDown(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    def start(self, server: aio.Endpoint) -> None:
        self.tasks.append(asyncio.ensure_future(self.echo(server)))

    async def test_many_connections_over_a_bad_network(self) -> None:
        async with await aio.listen("127.0.0.1", 0, reliable, faults=BAD) as server:
            self.start(server)
            async with aio.Endpoint("127.0.0.1") as clients:

                async def talk(number: int) -> None:
                    connection = await clients.connect(
                        "127.0.0.1", server.port, reliable, given={"floor.identity": number + 1}, timeout=LONG
                    )
                    for turn in range(10):
                        message = b"%d of %d" % (turn, number)
                        await connection.send(message)
                        self.assertEqual(await asyncio.wait_for(connection.receive(), LONG), message)
                    await connection.close(timeout=LONG)

                await asyncio.gather(*(talk(number) for number in range(50)))

    async def test_cancelled_calls_lose_and_repeat_nothing(self) -> None:
        chance = random.Random(3)
        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            client = await aio.connect("127.0.0.1", server.port, reliable)
            peer = await server.accept()
            sent: list[bytes] = []
            received: list[bytes] = []

            async def send_all() -> None:
                for burst in range(50):
                    # More than the window takes at once: some calls wait, in their order.
                    messages = [bytes([burst, number]) + bytes(chance.randrange(40_000)) for number in range(8)]
                    tasks = [asyncio.ensure_future(client.send(message)) for message in messages]
                    await asyncio.sleep(0 if chance.random() < 0.5 else 0.001)
                    for task in tasks:
                        if chance.random() < 0.3:
                            task.cancel()
                    results = await asyncio.gather(*tasks, return_exceptions=True)
                    sent.extend(message for message, result in zip(messages, results) if result is None)
                await client.close(timeout=LONG)

            async def receive_all() -> None:
                while True:
                    task = asyncio.ensure_future(peer.receive())
                    if chance.random() < 0.5:
                        await asyncio.sleep(0 if chance.random() < 0.5 else 0.001)
                        task.cancel()
                    try:
                        received.append(await task)
                    except asyncio.CancelledError:
                        pass
                    except nacre.ConnectionEnded:
                        return

            await asyncio.wait_for(asyncio.gather(send_all(), receive_all()), 2 * LONG)
            self.assertEqual(len(received), len(sent))
            self.assertTrue(received == sent)
            self.assertTrue(0 < len(sent) < 400)

    async def test_close_tells_code_and_text_and_leaves_messages(self) -> None:
        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            client = await aio.connect("localhost", server.port, reliable)
            peer = await server.accept()
            await client.send(b"last")
            await client.close(4, "bye")
            self.assertEqual(await peer.receive(), b"last")
            with self.assertRaises(nacre.ConnectionEnded) as raised:
                await peer.receive()
            assert isinstance(raised.exception.event, nacre.Closed)
            self.assertEqual((raised.exception.event.code, str(raised.exception)), (4, "bye"))
            self.assertEqual([message async for message in peer], [])
            with self.assertRaises(nacre.ConnectionEnded):
                await client.send(b"late")

    async def test_refused_and_unreachable_peers_are_told(self) -> None:
        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            client = await aio.connect("127.0.0.1", server.port, reliable)
            (await server.accept()).refuse(6, "no")
            with self.assertRaises(nacre.ConnectionEnded) as raised:
                await client.receive()
            assert isinstance(raised.exception.event, nacre.Closed)
            self.assertEqual(raised.exception.event.code, 6)
            with self.assertRaises(nacre.ConnectionEnded):
                _ = [message async for message in client]
            port = server.port
        # Nobody is there: the system says so, or nobody does.
        with self.assertRaises((nacre.ConnectionEnded, TimeoutError)):
            await aio.connect("127.0.0.1", port, reliable, timeout=2)
        with self.assertRaises(OSError):
            await aio.connect("no such host", 7, reliable)

    async def test_every_address_of_a_host_is_tried(self) -> None:
        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            self.start(server)
            loop = asyncio.get_running_loop()
            real = loop.getaddrinfo

            async def several(host: str, port: int, **more: Any) -> Any:
                # Documentation addresses do not answer, and one of them is of a family that may be missing.
                found = [await real(name, port, **more) for name in ("192.0.2.1", "2001:db8::1", "127.0.0.1")]
                return [address for addresses in found for address in addresses]

            setattr(loop, "getaddrinfo", several)
            try:
                async with aio.Endpoint() as endpoint:
                    for again in (None, nacre.Backoff()):
                        connection = await endpoint.connect(
                            "example", server.port, reliable, timeout=LONG, reconnect=again
                        )
                        await connection.send(b"found")
                        self.assertEqual(await connection.receive(), b"found")
                        self.assertEqual(len(endpoint._connections), 1)
                        await connection.close()
            finally:
                setattr(loop, "getaddrinfo", real)

    async def test_names_that_are_none_are_refused(self) -> None:
        async with aio.Endpoint() as endpoint:
            for name in ("a" * 70 + ".example", "x..y"):
                with self.assertRaises(OSError):
                    await endpoint.connect(name, 7, reliable)
            with self.assertRaises(TypeError):
                await endpoint.connect(None, 7, reliable)  # type: ignore[arg-type]

    async def test_slow_reader_slows_the_sender_down_if_grants_are_counted(self) -> None:
        async with await aio.listen("127.0.0.1", 0, credited) as server:
            client = await aio.connect("127.0.0.1", server.port, credited)
            peer = await server.accept()

            async def send_all() -> None:
                for number in range(200):
                    await client.send(b"%d" % number)

            sending = asyncio.ensure_future(send_all())
            for number in range(200):
                if number % 50 == 0:
                    await asyncio.sleep(0.05)
                self.assertLessEqual(len(peer._messages), 16)
                self.assertEqual(await asyncio.wait_for(peer.receive(), LONG), b"%d" % number)
            await sending
            await client.close()

    async def test_connections_that_end_before_they_are_accepted_are_forgotten(self) -> None:
        async with aio.Endpoint("127.0.0.1") as server:
            server.serve(reliable)
            for _ in range(5):
                client = await aio.connect("127.0.0.1", server.port, reliable)
                await client.close()
            client = await aio.connect("127.0.0.1", server.port, reliable)
            await client.send(b"before the end")
            await client.close()
            deadline = time.monotonic() + LONG
            while len(server._arrived) > 1 and time.monotonic() < deadline:
                await asyncio.sleep(0.01)
            self.assertEqual(len(server._arrived), 1, "the one that has left a message")
            accepted = await server.accept()
            self.assertEqual(await accepted.receive(), b"before the end")

    async def test_nothing_is_left_of_connections_that_end_in_any_way(self) -> None:
        def open_files() -> int:
            return len(os.listdir("/proc/self/fd"))

        async def refused(server: aio.Endpoint, port: int) -> None:
            with self.assertRaises(nacre.ConnectionEnded):
                async with await aio.connect("127.0.0.1", port, reliable) as client:
                    (await server.accept()).refuse(3, "no")
                    await client.receive()
            self.assertEqual(client.peer, nacre.Address("127.0.0.1", port))

        async def refused_at_once(server: aio.Endpoint, port: int) -> None:
            async def refuse() -> None:
                (await server.accept()).refuse(3, "no")

            refusing = asyncio.ensure_future(refuse())
            try:
                client = await aio.connect("127.0.0.1", port, reliable)
                with self.assertRaises(nacre.ConnectionEnded):
                    await client.receive()
            except nacre.ConnectionEnded:
                pass
            await refusing

        async def failed(server: aio.Endpoint, port: int) -> None:
            with self.assertRaises(KeyError):
                async with await aio.connect("127.0.0.1", port, reliable):
                    raise KeyError

        async def not_confirmed(server: aio.Endpoint, port: int) -> None:
            client = await aio.connect("127.0.0.1", port, reliable)
            (await server.accept()).discard()
            client._below.send(b"nobody is there")
            with self.assertRaises((TimeoutError, nacre.ConnectionEnded)):
                await client.close(timeout=0.1)
            client.discard()

        async def refusing(server: aio.Endpoint, port: int) -> None:
            (await aio.connect("127.0.0.1", port, reliable)).refuse()

        async def cancelled(server: aio.Endpoint, port: int) -> None:
            async def leave() -> None:
                async with await aio.connect("127.0.0.1", port, reliable):
                    (await server.accept()).discard()

            with self.assertRaises((TimeoutError, asyncio.TimeoutError, nacre.ConnectionEnded)):
                await asyncio.wait_for(leave(), 0.2)

        for way in (refused, refused_at_once, failed, not_confirmed, refusing, cancelled):
            server = await aio.listen("127.0.0.1", 0, reliable)
            before = open_files()
            await way(server, server.port)
            for _ in range(2000):
                if open_files() <= before:
                    break
                await asyncio.sleep(0.01)
            self.assertLessEqual(open_files(), before, way.__name__)
            server._free()

    async def test_what_was_not_confirmed_is_said_when_an_endpoint_closes(self) -> None:
        server = await aio.listen("127.0.0.1", 0, reliable)
        client = await aio.connect("127.0.0.1", server.port, reliable)
        peer = await server.accept()
        client.discard()
        await peer.send(b"lost")
        # Nobody answers, or the system says that nobody is there.
        with self.assertRaises((TimeoutError, nacre.ConnectionEnded)):
            await server.close(timeout=0.1)

    async def test_messages_that_came_can_be_received_after_the_endpoint_has_gone(self) -> None:
        with self.assertRaises(KeyError):
            async with await aio.listen("127.0.0.1", 0, reliable) as server:
                client = await aio.connect("127.0.0.1", server.port, reliable)
                peer = await server.accept()
                for number in range(3):
                    await client.send(b"%d" % number)
                while len(peer._messages) < 3:
                    await asyncio.sleep(0.01)
                raise KeyError
        self.assertEqual([await peer.receive() for _ in range(3)], [b"0", b"1", b"2"])
        with self.assertRaises(nacre.ConnectionEnded):
            await peer.receive()
        with self.assertRaises(nacre.ConnectionEnded):
            await peer.send(b"late")
        await peer.close()
        peer.discard()
        client.discard()

    async def test_everything_ends_with_its_endpoint(self) -> None:
        server = await aio.listen("127.0.0.1", 0, reliable)
        client = await aio.connect("127.0.0.1", server.port, reliable)
        peer = await server.accept()
        calls = (peer.receive(), server.accept(), peer.other(), client.receive())
        waiting = [asyncio.ensure_future(call) for call in calls]
        await asyncio.sleep(0)
        await server.close()
        await server.close()
        done, late = await asyncio.wait(waiting, timeout=LONG)
        self.assertFalse(late)
        for task in done:
            self.assertIsInstance(task.exception(), (nacre.ConnectionEnded, ValueError))
        with self.assertRaises(ValueError):
            await server.accept()
        await client.close(timeout=5)
        with self.assertRaises(ZeroDivisionError):
            async with await aio.listen("127.0.0.1", 0, reliable) as server:
                _ = 1 // 0
        with self.assertRaises(OSError):
            await aio.listen("192.0.2.1", 0, reliable)


if __name__ == "__main__":
    unittest.main()
