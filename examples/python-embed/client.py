import asyncio, nacre

async def main() -> None:
    stack = nacre.Stack.compile("reliable.nacre", "reliable")
    async with await nacre.aio.connect("127.0.0.1", 7000, stack) as server:
        await server.send(b"hello")  # waits until the stack accepts it
        print((await server.receive()).decode())

asyncio.run(main())
