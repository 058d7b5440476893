"""``savepoint-checker``: the commands, and what every one of them does with errors and exit codes.

Exit codes: 0 nothing at or above --fail-on, 1 findings, 2 could not do the work, 3 a defect of ours,
130 interrupted. Results go to stdout, everything else to stderr.
"""

import gc
import os
import sys
from pathlib import Path

from checker.cache import VARIABLE, folder_of, use_cache
from checker.errors import CheckerError, defect_message
from checker.processes.starting import clean_own_path

_ALLOCATED = 200_000
"""Objects made between two searches for garbage: what a run reads and computes it mostly needs to its end."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with the right exit code."""
    code = run(sys.argv[1:] if arguments is None else arguments)
    gc.freeze()  # Python's last search for garbage goes through all that was read; it took a fifth of a short run.
    sys.exit(code)


def run(arguments: list[str]) -> int:
    """Run one command; the exit code."""
    gc.set_threshold(_ALLOCATED)
    clean_own_path()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        code = _invoke(arguments)
        sys.stdout.flush()
        return code
    except CheckerError as error:
        return _failed(f"error: {error}", 2)
    except KeyboardInterrupt:
        return _failed("interrupted", 130)
    except BrokenPipeError:
        # The reader (head, less) went away: nothing is left to say, also not at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _failed(f"error: {defect_message(error)}", 3)
    finally:
        use_cache(None)


def _failed(why: str, code: int) -> int:
    from checker.report.presentable import complain

    complain(why)
    return code


def _invoke(arguments: list[str]) -> int:
    """Run one command. Hooks as git calls them don't wait until all options are there."""
    rest, repo = arguments[2:], "."
    if rest[-2:-1] == ["--repo"]:
        rest, repo = rest[:-2], rest[-1]
    is_hook = arguments[:2] in (["hook", "pre-commit"], ["hook", "pre-push"])
    if not is_hook or any(argument.startswith("-") for argument in (*rest, repo)):
        from checker.commands.app import invoke

        return invoke(arguments)
    from checker.commands.git_hooks import run_hook

    use_cache(folder_of(os.environ.get(VARIABLE)))
    return run_hook(arguments[1], Path(repo))


if __name__ == "__main__":
    main()
