"""The services of a lab, from where the environment says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from atleastonce.services.compose import Compose
from atleastonce.services.embedded import Embedded
from atleastonce.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from atleastonce.services.base import Services
    from atleastonce.services.folder import LabFolder


def open_services(
    stem: str, beside: Callable[[LabFolder], Callable[[], None]]
) -> Services:
    """Those of ``ATLEASTONCE_MODE``, running; see ``Embedded`` and ``Compose``.

    Raises:
        NoService: one is not on this machine.
        ServiceError: one does not answer.
    """
    settings = Settings.from_env()
    if settings.mode == "embedded":
        return Embedded(stem, settings=settings, beside=beside)
    return Compose(stem, settings=settings, beside=beside)
