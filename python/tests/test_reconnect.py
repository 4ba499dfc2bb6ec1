"""Receipts, and connections that are begun again. NACRE names the program, NACRE_RUNTIME the library."""

from __future__ import annotations

import asyncio
import time
import unittest
from pathlib import Path
from typing import TypeVar

import nacre
from nacre import aio
from stacks import secure

EXAMPLES = Path(__file__).parents[2] / "examples"
LONG = 60.0
BAD = nacre.Faults(loss=0.1, duplicate=0.1, reorder=0.1, seed=5)
QUICK = nacre.Backoff(first=0.02, most=0.1)

E = TypeVar("E")

receipted = nacre.Stack.compile(EXAMPLES / "receipts.nacre", "receipted", level="inline")


async def impatient(port: int) -> aio.Connection:
    """A connection that notices soon that its server is gone."""
    return await aio.connect("127.0.0.1", port, receipted, reconnect=QUICK, timeout_ms=1000, ping_after_ms=200)


class Receipts(unittest.TestCase):
    def test_reports_never_run_ahead_and_reach_all(self) -> None:
        with nacre.Listener("127.0.0.1", faults=BAD) as server, nacre.Listener("127.0.0.1", faults=BAD) as client:
            server.serve(receipted)
            connection = client.connect("127.0.0.1", server.port, receipted)
            sent = taken = stored = reached = 0
            there: nacre.Connection | None = None
            while reached < 100:
                try:
                    if sent < 100:
                        connection.send(b"%d" % sent)
                        sent += 1
                except nacre.Refused:
                    pass
                for event in server.events(0):
                    if isinstance(event, nacre.Arrived):
                        there = event.connection
                        there.takes_by_itself(False)
                    elif isinstance(event, nacre.Delivered):
                        self.assertEqual(event.message, b"%d" % stored)
                        stored += 1
                if there is not None and taken < stored:
                    taken += 1
                    there.taken()
                for event in client.events(0.001):
                    self.assertNotIsInstance(event, nacre.Closed)
                    if isinstance(event, nacre.Other):
                        self.assertEqual(event.name, "reached")
                        self.assertTrue(reached < event.arguments[0] <= taken)
                        reached = event.arguments[0]

    def test_messages_that_wait_in_a_queue_are_not_taken(self) -> None:
        async def run() -> None:
            async with await aio.listen("127.0.0.1", 0, receipted, faults=BAD) as server:
                async with await aio.connect("127.0.0.1", server.port, receipted, faults=BAD) as client:
                    for number in range(20):
                        await client.send(b"%d" % number)
                    there = await server.accept()
                    for number in range(20):
                        self.assertEqual(await there.receive(), b"%d" % number)
                        self.assertLessEqual(client.reached, number + 1)
                    while client.reached < 20:
                        await client.other()
                    self.assertEqual(client.reached, 20)

        asyncio.run(asyncio.wait_for(run(), LONG))


class Reconnecting(unittest.TestCase):
    def test_loss_that_a_waiting_call_meets_is_begun_again(self) -> None:
        server = nacre.Listener("127.0.0.1")
        server.serve(receipted)
        port = server.port
        with nacre.Listener("127.0.0.1", timeout_ms=1000, ping_after_ms=200) as client:
            connection = client.connect("127.0.0.1", port, receipted, reconnect=QUICK)
            while not any(isinstance(event, nacre.Arrived) for event in server.events(0.01)):
                client.poll(0.01)
            server.close()
            with self.assertRaises(nacre.ConnectionEnded):
                while True:
                    connection.send_blocking(bytes(1000), LONG)
            seen: list[nacre.Event] = []
            end = time.monotonic() + LONG
            with nacre.Listener("127.0.0.1", port) as again:
                again.serve(receipted)
                while not any(isinstance(event, nacre.Reconnected) for event in seen) and time.monotonic() < end:
                    seen += list(client.events(0.01))
                    again.poll(0.01)
            self.assertTrue(any(isinstance(event, nacre.Reconnected) for event in seen))
            self.assertTrue(any(isinstance(event, nacre.Reconnecting) for event in seen))

    def test_only_the_first_peer_is_reached_again(self) -> None:
        async def run() -> None:
            keys, others = nacre.Keys.generate(), nacre.Keys.generate()
            server = await aio.listen("127.0.0.1", 0, secure, keys=keys)
            port = server.port
            mine = nacre.Keys.generate()
            client = await aio.connect(
                "127.0.0.1", port, secure, keys=mine, reconnect=QUICK, timeout_ms=1000, ping_after_ms=200
            )
            self.assertEqual(client.peer_key, keys.public)
            # Without a word to the client.
            server._free()
            impostor = await aio.listen("127.0.0.1", port, secure, keys=others)
            sending = asyncio.ensure_future(client.send(bytes(10)))
            self.assertIsInstance(await client.change(), nacre.Reconnecting)
            with self.assertRaises(asyncio.TimeoutError):
                await asyncio.wait_for(impostor.accept(), 3)
            impostor._free()
            there = await aio.listen("127.0.0.1", port, secure, keys=keys)
            while not isinstance(await client.change(), nacre.Reconnected):
                pass
            await sending
            await client.send(b"to the first")
            self.assertIn(await (await there.accept()).receive(), (bytes(10), b"to the first"))
            self.assertEqual(client.peer_key, keys.public)
            client.discard()
            there._free()

        asyncio.run(asyncio.wait_for(run(), LONG))

    def test_server_that_comes_back_is_reached_again(self) -> None:
        server = nacre.Listener("127.0.0.1")
        server.serve(receipted)
        port = server.port
        with nacre.Listener("127.0.0.1", timeout_ms=1000, ping_after_ms=200) as client:
            connection = client.connect("localhost", port, receipted, reconnect=QUICK, first="127.0.0.1")
            seen: list[nacre.Event] = []

            def until(kind: type[E], *others: nacre.Listener) -> E:
                for _ in range(60_000):
                    for other in others:
                        for _ in other.events(0):
                            pass
                    event = client.poll(0.001)
                    if event is not None:
                        seen.append(event)
                    if event is not None and isinstance(event, kind):
                        return event
                raise AssertionError(f"no {kind}")

            until(nacre.Opened, server)
            for _ in range(5):
                connection.send(b"hello")
            event = until(nacre.Other, server)
            server.close()
            lost = until(nacre.Reconnecting)
            self.assertEqual((lost.connection, lost.accepted), (connection, 5))
            self.assertTrue(lost.reached is not None and event.arguments[0] <= lost.reached <= 5)
            self.assertEqual(lost.unknown, 5 - (lost.reached or 0))
            with self.assertRaises(nacre.ConnectionEnded):
                connection.send(b"lost")
            with nacre.Listener("127.0.0.1", port) as again:
                again.serve(receipted)
                back = until(nacre.Reconnected, again)
                self.assertEqual(back.previous, connection)
                back.connection.send(b"again")
                until(nacre.Other, again)
            until(nacre.Reconnecting)
            back.connection.close()
            ended = until(nacre.Closed)
            self.assertEqual(ended.connection, back.connection)
            self.assertIsNone(client.poll(0.3))

    def test_wrong_values_are_refused(self) -> None:
        with nacre.Listener("127.0.0.1") as client:
            for wrong in (
                nacre.Backoff(first=0),
                nacre.Backoff(most=-1),
                nacre.Backoff(tries=0),
                nacre.Backoff(again_on=(-1,)),
                nacre.Backoff(total=0),
                nacre.Backoff(most=float("inf")),
                nacre.Backoff(total=float("nan")),
            ):
                with self.assertRaises(ValueError):
                    client.connect("127.0.0.1", 7, receipted, reconnect=wrong)
            with self.assertRaisesRegex(TypeError, "reconnect is a Backoff"):
                client.connect("127.0.0.1", 7, receipted, reconnect=True)  # type: ignore[arg-type]
            with self.assertRaises(ValueError):
                client.connect("localhost", 7, receipted, first="no address")

    def test_asyncio_sends_again_when_the_server_is_back(self) -> None:
        async def run() -> None:
            server = await aio.listen("127.0.0.1", 0, receipted)
            port = server.port
            client = await impatient(port)
            await client.send(b"one")
            self.assertEqual(await (await server.accept()).receive(), b"one")
            client.call("send", message=b"another")
            server._free()
            lost = await client.change()
            assert isinstance(lost, nacre.Reconnecting)
            self.assertEqual(lost.accepted, 2)
            waits = asyncio.ensure_future(client.send(b"two"))
            async with await aio.listen("127.0.0.1", port, receipted) as again:
                self.assertEqual(await (await again.accept()).receive(), b"two")
                await waits
                while not isinstance(await client.change(), nacre.Reconnected):
                    pass
                await client.close()

        asyncio.run(asyncio.wait_for(run(), LONG))

    def test_asyncio_takes_messages_of_a_lost_connection_on_no_other(self) -> None:
        async def run() -> None:
            server = await aio.listen("127.0.0.1", 0, receipted)
            client = await impatient(port := server.port)
            await client.send(b"hello")
            peer = await server.accept()
            for n in range(4):
                await peer.send(b"old %d" % n)
            while len(client._messages) < 4:
                await asyncio.sleep(0.01)
            server._free()
            async with await aio.listen("127.0.0.1", port, receipted) as again:
                while not isinstance(await client.change(), nacre.Reconnected):
                    pass
                await client.send(b"hello")
                peer = await again.accept()
                for n in range(4):
                    await peer.send(b"new %d" % n)
                while len(client._messages) < 8:
                    await asyncio.sleep(0.01)
                for expected in [b"old 0", b"old 1", b"old 2", b"old 3", b"new 0"]:
                    self.assertEqual(await client.receive(), expected)
                while peer.reached == 0:
                    await asyncio.sleep(0.01)
                self.assertEqual(peer.reached, 1)
                await client.close()

        asyncio.run(asyncio.wait_for(run(), LONG))

    def test_asyncio_closes_while_the_connection_is_lost(self) -> None:
        async def run() -> None:
            server = await aio.listen("127.0.0.1", 0, receipted)
            client = await impatient(server.port)
            server._free()
            await client.change()
            with self.assertRaises(nacre.ConnectionEnded):
                await client.close()

        asyncio.run(asyncio.wait_for(run(), LONG))


if __name__ == "__main__":
    unittest.main()
