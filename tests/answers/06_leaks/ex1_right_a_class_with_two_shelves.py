import random

from files import read


class Shelf:
    """Throws out any book when it is full."""

    def __init__(self, budget, largest):
        self.budget, self.largest, self.books = budget, largest, {}

    def put(self, name, data):
        if len(data) <= self.largest:
            self.books[name] = data
        while sum(len(book) for book in self.books.values()) > self.budget:
            del self.books[random.choice(list(self.books))]


small, large = Shelf(12 * 2**20, 2**20 // 2), Shelf(12 * 2**20, 8 * 2**20)


def get_file(name: str) -> bytes:
    for shelf in (small, large):
        if name in shelf.books:
            return shelf.books[name]
    data = read(name)
    (small if len(data) <= small.largest else large).put(name, data)
    return data
