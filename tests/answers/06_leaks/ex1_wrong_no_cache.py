# rejected by: ex1-hits
from files import read


def get_file(name: str) -> bytes:
    return read(name)
