from files import read


SIZE = 24 * 2**20
ring, at, index = bytearray(SIZE), 0, {}


def get_file(name: str) -> bytes:
    global at
    if name in index:
        start, n = index[name]
        return bytes(ring[start:start + n])
    data = read(name)
    n = len(data)
    if n > SIZE:
        return data
    if at + n > SIZE:
        at = 0
    for other, (start, m) in list(index.items()):
        if start < at + n and at < start + m:
            del index[other]
    ring[at:at + n] = data
    index[name] = (at, n)
    at += n
    return data
