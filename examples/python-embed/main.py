"""Says hello to itself over UDP, through the stack of ../reliable.nacre."""

import asyncio
from pathlib import Path

import nacre


async def main() -> None:
    stack = nacre.Stack.compile(Path(__file__).parent / "../reliable.nacre", "reliable")
    async with await nacre.aio.listen("127.0.0.1", 0, stack) as server:
        async with await nacre.aio.connect("127.0.0.1", server.port, stack) as client:
            await client.send(b"hello")
            peer = await server.accept()
            said = await peer.receive()
            await peer.send(said + b", too")
            print(said.decode(), "->", (await client.receive()).decode())


asyncio.run(main())
