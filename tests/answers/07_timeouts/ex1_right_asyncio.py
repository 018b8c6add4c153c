import asyncio
from urllib.parse import urljoin, urlsplit


def download(url: str, seconds: float) -> bytes:
    return asyncio.run(asyncio.wait_for(follow(url), seconds))


async def follow(url):
    while True:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            writer.write(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            lines = head.split("\r\n")
            found = dict(line.split(": ", 1) for line in lines[1:] if line)
            body = await reader.readexactly(int(found["content-length"]))
        finally:
            writer.transport.abort()
        status = lines[0].split()[1]
        if status == "200":
            return body
        if "location" not in found:
            raise OSError(f"status {status}")
        url = urljoin(url, found["location"])
