"""The package in event loops of asyncio, over loopback. NACRE names the program, NACRE_RUNTIME the library."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import time
import unittest
from typing import Any

import nacre
from nacre import aio
from nacre._aio_connecting import Wanted
from stacks import BAD, LONG, credited, reliable


class Asyncio(unittest.IsolatedAsyncioTestCase):
    async def echo(self, server: aio.Endpoint) -> None:
        async def answer(connection: aio.Connection) -> None:
            async for message in connection:
                await connection.send(message)

        async for connection in server:
            task = asyncio.ensure_future(answer(connection))
            self.tasks.append(task)

    async def flood(self, connection: aio.Connection, message: bytes) -> None:
        while True:
            await connection.send(message)

    async def stopped(self, *tasks: asyncio.Future[None]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

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

    async def test_a_connection_that_was_lost_before_it_is_closed_says_so(self) -> None:
        async def lost(server: aio.Endpoint) -> aio.Connection:
            client = await aio.connect("127.0.0.1", server.port, reliable)
            await client.send(b"never read")
            (await server.accept()).refuse(6, "no")
            await asyncio.wait_for(client._until_ended(), LONG)
            return client

        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            with self.assertRaises(nacre.ConnectionEnded):
                async with await lost(server):
                    pass
            client = await lost(server)
            for _ in range(2):
                with self.assertRaises(nacre.ConnectionEnded):
                    await client.close()
            self.assertIsNone(client._endpoint._listener, "the endpoint of the connection alone is closed")
            # Who has been told is not told again where the block ends.
            async with await lost(server) as client:
                with self.assertRaises(nacre.ConnectionEnded):
                    await client.receive()
            async with await lost(server) as client:
                with self.assertRaises(nacre.ConnectionEnded):
                    await client.send(b"more")

    async def test_addresses_have_their_interface(self) -> None:
        wanted = Wanted("fe80::1%lo", 7, reliable, None, None, None)
        self.assertEqual(await wanted.addresses(), [f"fe80::1%{socket.if_nametoindex('lo')}"])
        async with await aio.listen("127.0.0.1", 0, reliable) as server:
            async with await aio.connect("0.0.0.0", server.port, reliable, timeout=LONG) as connection:
                self.assertEqual(connection.peer, nacre.Address("127.0.0.1", server.port))

    async def test_reports_of_the_network_alone_end_no_attempt(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as place:
            place.bind(("127.0.0.1", 0))
            port = place.getsockname()[1]
        async with aio.Endpoint("127.0.0.1") as client:
            # Nobody is there yet, and the system says so.
            begun = asyncio.ensure_future(client.connect("127.0.0.1", port, reliable, timeout=LONG))
            await asyncio.sleep(0.1)
            async with await aio.listen("127.0.0.1", port, reliable):
                await (await begun).close()

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

    async def test_late_readers_slow_any_sender_down_and_lose_nothing(self) -> None:
        message = b"x" * 1000
        # Not less than the longest message.
        async with await aio.listen("127.0.0.1", 0, reliable, queue=0) as server:
            client = await aio.connect("127.0.0.1", server.port, reliable)

            async def send_all() -> None:
                for number in range(500):
                    await client.send(b"%d " % number + message)

            sending = asyncio.ensure_future(send_all())
            # It is not even accepted: what waits is bounded all the same. One frame may complete several messages.
            await asyncio.sleep(1)
            waits, longest = next(iter(server._connections.values()))._waiting, client.max_message
            self.assertTrue(longest <= waits <= 3 * longest, f"{waits} bytes wait")
            self.assertEqual(server._waiting, waits)
            connection = await asyncio.wait_for(server.accept(), LONG)
            for number in range(500):
                got = await asyncio.wait_for(connection.receive(), LONG)
                self.assertEqual(got.split()[0], b"%d" % number)
            await asyncio.wait_for(sending, LONG)
            self.assertEqual(server._waiting, 0)
            # A late reader that closes needs frames, and takes them.
            sending = asyncio.ensure_future(send_all())
            while not connection._is_paused:
                await asyncio.sleep(0.01)
            await connection.send(b"last")
            await connection.close(timeout=LONG)
            self.assertEqual(await client.receive(), b"last")
            await self.stopped(sending)
            client.discard()

    async def test_an_endpoint_closes_connections_whose_reader_is_late(self) -> None:
        server = await aio.listen("127.0.0.1", 0, reliable, queue=0)
        client = await aio.connect("127.0.0.1", server.port, reliable)
        long = b"x" * client.max_message
        sending = asyncio.ensure_future(self.flood(client, long))
        connection = await asyncio.wait_for(server.accept(), LONG)
        while not connection._is_paused:
            await asyncio.sleep(0.01)
        await connection.send(b"last")
        await server.close(timeout=LONG)
        self.assertEqual(await asyncio.wait_for(client.receive(), LONG), b"last")
        await self.stopped(sending)
        client.discard()

    async def test_sender_that_does_not_read_is_given_up_at_four_times_the_bound(self) -> None:
        async with await aio.listen("127.0.0.1", 0, credited, queue=0) as server, await aio.listen(
            "127.0.0.1", 0, reliable, queue=0
        ) as other:
            # Grants are withheld: nothing is given up.
            client = await aio.connect("127.0.0.1", server.port, credited)
            await client.send(b"first")
            self.assertEqual(await (await server.accept()).receive(), b"first")
            client = await aio.connect("127.0.0.1", other.port, reliable)
            await client.send(b"x" * client.max_message)
            connection = await asyncio.wait_for(other.accept(), LONG)
            # Both ends only send.
            longest = client.max_message
            long = b"x" * longest

            sending = [asyncio.ensure_future(self.flood(end, long)) for end in (connection, client)]
            done, _ = await asyncio.wait(sending, timeout=LONG, return_when=asyncio.FIRST_EXCEPTION)
            self.assertTrue(done)
            for task in done:
                with self.assertRaises(nacre.ConnectionEnded):
                    task.result()
            self.assertTrue(connection._waiting <= 5 * longest)
            await self.stopped(*sending)
            client.discard()
            connection.discard()

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
