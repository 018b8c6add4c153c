"""What an interleaving search found. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from atleastonce.explore.columns import Row, as_html, as_text

if TYPE_CHECKING:
    from atleastonce.explore.steps import Schedule, World


@dataclass(frozen=True)
class Interleavings:
    """Every schedule of some copies that was run, counted.

    Attributes:
        copies: their calls, such as ``deposit(1, 10)``.
        grain: ``effect`` or ``line``.
        schedules: how many were run to their end.
        broken: how many led to a world that breaks the claim.
        waited: in how many a copy had to wait, for a lock or inside Redis.
        raised: how often each error was raised, by its text.
        pruned: how many were left out because two copies waited for one lock, and
            Postgres alone decides which of them goes first; schedules in which the
            second one asks later stand for both.
        serial: the worlds of running one copy after the other, in every order; empty
            where a claim decides.
        worlds: every world that was seen, and by how many schedules.
        shortest: the breaking schedule with the fewest switches; None without one.
        rows: that schedule, side by side.
        unexplored: what was not explored, and why; "" if nothing.
        seconds: how long it took.
        digest: a hash of every schedule, step by step; equal runs have equal ones.
        orders: which copy made each step, and whether that broke the claim, of the
            first hundred schedules; for a picture.
    """

    copies: tuple[str, ...]
    grain: str
    schedules: int
    broken: int
    waited: int
    raised: dict[str, int]
    pruned: int
    serial: tuple[World, ...]
    worlds: tuple[tuple[World, int], ...]
    shortest: Schedule | None
    rows: tuple[Row, ...]
    unexplored: str
    seconds: float
    digest: str
    orders: tuple[tuple[tuple[int, ...], bool], ...] = ()

    @property
    def complete(self) -> bool:
        """True if every schedule was run."""
        return not self.unexplored

    @property
    def ok(self) -> bool:
        """True if every schedule was run, and none breaks the claim."""
        return self.verdict == "pass"

    @property
    def verdict(self) -> Literal["pass", "fail", "unknown"]:
        """``fail`` needs one breaking schedule, ``pass`` all of them."""
        if self.broken:
            return "fail"
        return "pass" if self.complete else "unknown"

    @property
    def summary(self) -> str:
        """Counts in one to four sentences."""
        what = "effect boundaries" if self.grain == "effect" else "lines and effects"
        total = "1 schedule" if self.schedules == 1 else f"{self.schedules} schedules"
        good = f"{self.broken} break it" if self.broken != 1 else "1 breaks it"
        if not self.broken:
            good = "none breaks it" + ("" if self.complete else " so far")
        parts = [f"{total} of {len(self.copies)} copies, by {what}: {good}."]
        if self.waited:
            parts.append(f"In {self.waited} a copy had to wait.")
        parts += [f"{n} times {error}." for error, n in sorted(self.raised.items())]
        if self.pruned:
            parts.append(f"{self.pruned} more left out: two waited for one lock.")
        if self.unexplored:
            parts.append(f"Not all was explored: {self.unexplored}.")
        return "\n".join(parts)

    @property
    def heads(self) -> list[str]:
        """The columns' titles."""
        return [f"copy {i}: {text}" for i, text in enumerate(self.copies, 1)]

    def __repr__(self) -> str:
        """The summary, and the shortest schedule that breaks it."""
        if self.shortest is None:
            return self.summary
        picture = as_text(self.heads, self.rows)
        return "\n".join([self.summary, "", picture, "", *self._worlds])

    def _repr_html_(self) -> str:
        text = f"<p>{escape(self.summary).replace(chr(10), '<br>')}</p>"
        if self.shortest is None:
            return text
        ends = "<br>".join(map(escape, self._worlds))
        return f"{text}{as_html(self.heads, self.rows)}<p><code>{ends}</code></p>"

    @property
    def _worlds(self) -> list[str]:
        """The world of the shortest schedule, and the yardstick."""
        world = self.shortest.world if self.shortest else {}
        serial = list(dict.fromkeys(str(dict(known)) for known in self.serial))
        found = [f"world: {dict(world)}"]
        return found + (
            [f"one after the other: {' or '.join(serial)}"] if serial else []
        )

    def to_dict(self) -> dict[str, Any]:
        """For machines; worlds as text."""
        return {
            "copies": list(self.copies),
            "grain": self.grain,
            "verdict": self.verdict,
            "complete": self.complete,
            "unexplored": self.unexplored,
            "schedules": self.schedules,
            "broken": self.broken,
            "waited": self.waited,
            "raised": self.raised,
            "pruned": self.pruned,
            "serial": [_plain(world) for world in self.serial],
            "worlds": [[_plain(world), count] for world, count in self.worlds],
            "shortest": self.shortest.to_dict() if self.shortest else None,
            "seconds": self.seconds,
            "digest": self.digest,
        }


def _plain(world: World) -> dict[str, str]:
    return {str(key): str(value) for key, value in world.items()}
