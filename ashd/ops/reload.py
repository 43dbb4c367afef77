"""Read the configuration again while the daemon runs: apply what can change, name the rest."""

from collections.abc import Callable, Iterable

import msgspec

from ashd import config, errors, log
from ashd.access.actor import Call
from ashd.config import Places, Settings
from ashd.providers.llm import LanguageModel
from ashd.store.database import Database


class ReloadResult(msgspec.Struct, frozen=True):
    """The changed sections in force now, and those that need a restart."""

    reloaded: list[str]
    needs_restart: list[str]


class Reload:
    """The settings in force. One for the daemon."""

    def __init__(
        self,
        settings: Settings,
        places: Places,
        limited: Iterable[Callable[[config.Limits], None]],
        llm: LanguageModel | None,
    ) -> None:
        """`limited` apply new limits."""
        self._settings = settings
        self._places = places
        self._llm = llm
        self._limited = [*limited]
        self._apply: dict[str, Callable[[Settings], bool]] = {
            "log": _log,
            "limits": self._limit,
            "llm": self._configure_llm,
        }

    def apply(self) -> ReloadResult:
        """Apply what changed in the file.

        Raises:
            errors.InvalidParams: the file cannot be used; everything stays as it is.
        """
        try:
            new = config.load(self._places.config, required=False)
        except errors.StartError as error:
            raise errors.InvalidParams(str(error), "Mend the file and reload again.") from error
        changed = [
            name
            for name in Settings.__struct_fields__
            if getattr(new, name) != getattr(self._settings, name)
        ]
        reloaded = [name for name in changed if name in self._apply and self._apply[name](new)]
        self._settings = msgspec.structs.replace(
            self._settings, **{name: getattr(new, name) for name in reloaded}
        )
        waiting = [name for name in changed if name not in reloaded]
        log.info("settings_reloaded", sections=",".join(reloaded), restart=",".join(waiting))
        return ReloadResult(reloaded, waiting)

    def on_signal(self) -> None:
        """Reload on SIGHUP; a file that cannot be used is logged."""
        try:
            self.apply()
        except errors.InvalidParams as error:
            log.warning("settings_not_reloaded", reason=error.message)

    def _limit(self, new: Settings) -> bool:
        for apply in self._limited:
            apply(new.limits)
        return True

    def _configure_llm(self, new: Settings) -> bool:
        """Give the language model its new settings; return False if that needs a restart."""
        return self._llm is not None and self._llm.configure(new.llm)


async def reload(settings: Reload, db: Database, call: Call) -> ReloadResult:
    """Read the configuration again; report what is in force now and what needs a restart.

    Raises:
        errors.InvalidParams: the file cannot be used; everything stays as it is.
    """
    result = settings.apply()
    await db.write(call.record, quiet=True)
    return result


def _log(new: Settings) -> bool:
    log.configure(new.log.level, new.log.format)
    return True
