"""Lets containers reach the emulator, which listens on the loopback address only."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from local.problem import Problem


@contextmanager
def relay(address: str, port: int) -> Iterator[None]:
    """Forwards `address:port` to the same port of the loopback address, for as long as the block runs."""
    loop = asyncio.new_event_loop()
    try:
        server = loop.run_until_complete(asyncio.start_server(lambda r, w: _forward(r, w, port), address, port))
    except OSError as error:
        raise Problem(f"containers cannot be given a way to the emulator at {address}:{port}: {error.strerror}") from error
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


async def _forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int) -> None:
    there, back = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.gather(_copy(reader, back), _copy(there, writer), return_exceptions=True)


async def _copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while chunk := await source.read(65536):
            target.write(chunk)
            await target.drain()
    finally:
        target.close()
