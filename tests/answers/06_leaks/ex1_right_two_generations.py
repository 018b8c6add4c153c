from files import read


HALF = 12 * 2**20
young, old, size = {}, {}, 0


def get_file(name: str) -> bytes:
    global young, old, size
    data = young.get(name)
    if data is not None:
        return data
    data = old.get(name)
    if data is None:
        data = read(name)
    if len(data) > HALF:
        return data
    if size + len(data) > HALF:
        young, old, size = {}, young, 0
    young[name] = data
    size += len(data)
    return data
