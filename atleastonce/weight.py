"""What results weigh: memory step by step, a line through it, and its error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from atleastonce.palette import BLUE, GREEN, INK, VERMILLION
from atleastonce.picture import painted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import redis
    from matplotlib.axes import Axes

    from atleastonce.picture import Picture

MILLION = 1_000_000
#: Written inside of the server: a hundred thousand take a fraction of a second.
_COPY = """
for n = tonumber(ARGV[1]), tonumber(ARGV[2]) do
  local key = 'celery-task-meta-' .. string.format('%036d', n)
  redis.call('SET', key, ARGV[3])
  if ARGV[4] ~= '0' then redis.call('EXPIRE', key, ARGV[4]) end
end
"""
#: Copies by one script: a hundred thousand met the client's 5 s on busy cores.
_BATCH = 5_000
_COLOURS = (VERMILLION, BLUE, GREEN)
_WIDTH, _HEIGHT = 7.0, 3.8  # inches


@dataclass(frozen=True)
class Growth:
    """Memory by the number of results.

    Attributes:
        counts: results kept at each step.
        used: bytes in use at each step.
        slope: bytes for each result, by least squares.
        error: two standard errors of that.
    """

    counts: tuple[int, ...]
    used: tuple[int, ...]
    slope: float
    error: float

    @classmethod
    def of(cls, points: Sequence[tuple[int, int]]) -> Growth:
        """The line through *points*, three at least."""
        import numpy as np  # noqa: PLC0415 - slow to import

        counts, used = zip(*points, strict=True)
        (slope, _), spread = np.polyfit(counts, used, 1, cov=True)
        return cls(counts, used, float(slope), 2 * float(spread[0, 0]) ** 0.5)

    @property
    def base(self) -> float:
        """Bytes in use without any result, by the line."""
        mean = sum(self.counts) / len(self.counts)
        return sum(self.used) / len(self.used) - self.slope * mean

    def million(self) -> str:
        """What a million of them take, in GB, with the error."""
        scale = MILLION / 1e9
        return f"{self.slope * scale:.2f} ± {self.error * scale:.2f} GB"


def growth(client: redis.Redis, step: Callable[[], object], steps: int = 6) -> Growth:
    """Have *step* add results, and look at the memory after each time.

    Buffers of connections are left out. The first step warms everything up.
    """
    seen = []
    for _ in range(steps):
        step()
        seen.append((client.dbsize(), in_use(client)))
    return Growth.of(seen[1:])


def in_use(client: redis.Redis) -> int:
    """Bytes in use, without the buffers of connections."""
    memory: dict[str, Any] = client.info("memory")
    return int(memory["used_memory"]) - int(memory["mem_clients_normal"])


def copied(
    client: redis.Redis, value: str, count: int = 100_000, *, life: int = 0
) -> float:
    """Write copies of a result, and return how many bytes each takes.

    Args:
        client: of the database for them.
        value: what each of them is.
        count: how many.
        life: their expiry in seconds; 0: none.
    """
    before = in_use(client)
    for first in range(1, count + 1, _BATCH):
        client.eval(_COPY, 0, first, min(first + _BATCH - 1, count), value, life)
    return (in_use(client) - before) / count


def picture(found: Mapping[str, Growth], check: float, claim: float) -> Picture:
    """The points, their lines up to a million, the errors, a check, and a claim.

    Args:
        found: by what is returned.
        check: bytes for each of a hundred thousand copies.
        claim: bytes that somebody says a million takes.
    """
    alt = "; ".join(f"a million of {n}: {line.million()}" for n, line in found.items())
    return painted(
        lambda axes: _paint(axes, found, check, claim), (_WIDTH, _HEIGHT), f"{alt}."
    )


def _paint(axes: Axes, found: Mapping[str, Growth], check: float, claim: float) -> None:
    for (name, line), colour in zip(found.items(), _COLOURS, strict=False):
        _line(axes, name, line, colour)
    copies = 100_000
    said = f"check: {copies:,} copies, {check:.0f} bytes each"
    axes.plot([copies], [copies * check], "D", color=INK, label=said)
    axes.axhline(claim, color=INK, label=f"the article: {claim / 1e9:.0f} GB")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(10, MILLION)
    axes.set_ylim(1e2, 1e11)
    axes.set_xlabel("results kept")
    axes.set_ylabel("bytes in Redis")
    axes.grid(visible=True, linewidth=0.4)
    axes.legend(fontsize=8, loc="lower right")


def _line(axes: Axes, name: str, line: Growth, colour: str) -> None:
    ends = (10, MILLION)
    low = [max(1.0, line.slope - line.error) * n for n in ends]
    high = [(line.slope + line.error) * n for n in ends]
    axes.fill_between(ends, low, high, color=colour, alpha=0.3, linewidth=0)
    label = f"{name}: {line.million()} a million"
    axes.plot(ends, [line.slope * n for n in ends], "--", color=colour, label=label)
    axes.plot(line.counts, [u - line.base for u in line.used], "o", color=colour)


def pages(client: redis.Redis, pattern: str, count: int = 500) -> Iterator[list[str]]:
    """The pages of one SCAN to its end; some may be empty."""
    cursor: int | None = None
    while cursor != 0:
        found: Any = client.scan(cursor or 0, pattern, count)
        cursor, page = found
        yield page


def judged(client: redis.Redis, way: Callable[[], object]) -> dict[str, object]:
    """Do something with a Redis, and look at it from the server's side.

    Returns ``commands``, how many it took; ``ms``, the longest kind of command, by the
    server's own statistics, in the mean; ``SLOWLOG``, which kinds it has recorded, with
    a threshold of 0.
    """
    for name, value in {"log-slower-than": 0, "max-len": 100_000}.items():
        client.config_set(f"slowlog-{name}", value)
    client.slowlog_reset()
    client.config_resetstat()
    way()
    stats = client.info("commandstats").values()
    logged = {e["command"].split()[0].decode() for e in client.slowlog_get(100_000)}
    longest = max(row["usec"] / row["calls"] for row in stats) / 1000
    return {
        "commands": sum(row["calls"] for row in stats),
        "ms": round(longest, 1),
        "SLOWLOG": sorted(logged - {"CONFIG", "SLOWLOG", "INFO", "CLIENT"}),
    }
