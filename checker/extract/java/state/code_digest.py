"""What stands for code that was walked through: equal in two revisions where all of it reads alike."""

import hashlib
import re

from checker.extract.unfollowed.unread_code import NEEDS_CODE
from checker.model.unknowns import Maybe, Unknown

MAX_DECLARATIONS = 400
"""As many are read of one piece of code: with more, not all of it was found."""
_MAX_SHOWN = 120
_AROUND_MARKS = re.compile(r" ?([.()]) ?| (?=[,;])")


class CodeDigest:
    """The declarations that some code reaches, by name."""

    def __init__(self) -> None:
        self.seen: dict[str, str] = {}
        self._asks_environment = False
        self._texts: set[str] = set()
        """Short words in quotes: among them are the variables of the environment that the code asks for."""
        self._enums: dict[str, str] = {}
        """Constants by their enum: with further ones, what was made of those before stays as it is."""
        self._complete = True
        """Whether all that is called was found."""

    def digest(self) -> str:
        """What stands for all of it; ``NEEDS_CODE`` where something depends on code that was not followed."""
        return NEEDS_CODE if NEEDS_CODE in self.seen.values() else f"code {self._hashed()}{self._named()}"

    def key(self) -> Maybe[str]:
        """The text of a key, with a digest of all that it calls; an Unknown where not all of this was found."""
        digest = self.digest()
        if digest == NEEDS_CODE or not self._complete or len(self.seen) > MAX_DECLARATIONS:
            return Unknown("cannot tell which keys the selector returns", derived_from=digest)
        shown = _AROUND_MARKS.sub(r"\1", self.seen["#"]).replace("$0", "element")
        shown = shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"
        return f"{shown} [{self._hashed()}]{self._named()}"

    def _hashed(self) -> str:
        digest = hashlib.sha256()
        for key, value in sorted(self.seen.items()):
            digest.update(f"{key}: {value}".encode("utf-8", "surrogatepass") + b"\0")
        return digest.hexdigest()[:16]

    def _named(self) -> str:
        asked = f" with {', '.join(sorted(self._texts))}" if self._asks_environment and self._texts else ""
        return asked + "".join(f", enum {name}({names})" for name, names in sorted(self._enums.items()))
