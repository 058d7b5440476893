"""Files behind URLs, through fsspec: read in ranges, in bounded time, every failure one clear error.

Credentials, endpoints and other options are fsspec's and its packages' own: their environment variables and
``~/.config/fsspec``. Nothing of them is taken from what a snapshot says.
"""

import io
import logging
import os
import posixpath
import re
import shutil
import tempfile
from collections.abc import Callable
from functools import lru_cache
from typing import IO, Any, BinaryIO, TypeVar, cast

from checker.errors import SavepointError
from checker.model.secrets import masked
from checker.time_limits import LateError, within

FIRST_ANSWER = 30.0
"""Seconds until a store must have answered for the first time: the packages' own retries take minutes."""
NEXT_ANSWER = 60.0
"""Seconds for every request after the first."""
_FSSPEC_NAMES = {
    "s3a": "s3",
    "s3n": "s3",
    "s3p": "s3",
    "abfss": "abfs",
    "wasb": "abfs",
    "wasbs": "abfs",
    "viewfs": "hdfs",
    "swebhdfs": "webhdfs",
}
"""Hadoop's and Flink's further names for a store → fsspec's."""
_EXTRAS = ("s3", "gs", "abfs", "hdfs")
_HINTS = {
    "s3": "Check endpoint (AWS_ENDPOINT_URL), region and credentials (AWS_PROFILE or AWS_ACCESS_KEY_ID and so on)",
    "gs": "Check the credentials (GOOGLE_APPLICATION_CREDENTIALS) and STORAGE_EMULATOR_HOST where set",
    "abfs": "Check AZURE_STORAGE_CONNECTION_STRING, or AZURE_STORAGE_ACCOUNT_NAME with _ACCOUNT_KEY or _SAS_TOKEN",
    "hdfs": "Check JAVA_HOME, HADOOP_HOME, CLASSPATH (hadoop classpath --glob), the address and the Kerberos ticket",
}
_EXACT_RANGES: dict[str, dict[str, Any]] = {"hdfs": {"seekable": True}, "webhdfs": {"cache_type": "none"}}
"""What makes fsspec's packages without ranges of their own read no more than is asked for."""
_LOGGERS = ("s3fs", "gcsfs", "adlfs", "azure", "aiobotocore", "botocore", "aiohttp", "asyncio", "google")
_REFUSED = {401, 403}
_LONGEST_REASON = 300
_PIECE = 1 << 23
"""Bytes of a copy that are fetched at once."""

Answer = TypeVar("Answer")


class UnansweredError(SavepointError):
    """A store could not be asked at all. Nothing further is asked of it."""


class RemoteFiles:
    """One store. Paths are the store's own, without a scheme. Connects when it is first asked."""

    def __init__(self, scheme: str, authority: str) -> None:
        self._scheme = scheme
        self._name = _FSSPEC_NAMES.get(scheme, scheme)
        self._authority = authority
        self._files: Any = None
        self._answered = False
        self._failure: str | None = None

    def plain(self, path: str) -> str:
        """A URL as the store's own path."""
        url = self._name + path[len(self._scheme) :]
        if self._name == "s3":  # Hadoop once allowed s3n://KEY:SECRET@bucket; the name of a bucket has no colon
            url = re.sub(r"^s3://(?!arn:)[^/:@]*:[^@]*@", "s3://", url)
        return cast("str", _fsspec_class(self._scheme, self._name)._strip_protocol(url))

    def join(self, folder: str, name: str) -> str:
        """The path of a file in a folder."""
        return posixpath.join(folder, name)

    def parent(self, path: str) -> str:
        """The folder of a file."""
        return posixpath.dirname(path)

    def size(self, path: str) -> int | None:
        """Bytes of a file, None where there is no such file. Raises SavepointError."""
        info = self._ask(path, lambda files: self._info(files, path))
        return int(info["size"]) if info is not None and info["type"] == "file" else None

    def _info(self, files: Any, path: str) -> dict[str, Any]:
        try:
            return cast("dict[str, Any]", files.info(path))
        except FileNotFoundError:
            raise
        except OSError:
            if self._name == "s3":  # HEAD has no body: an expired token is a bare "Bad Request" unless read
                files.cat_file(path, start=0, end=1)
            raise

    def is_directory(self, path: str) -> bool:
        """Whether a folder is there. Raises SavepointError."""
        info = self._ask(path, lambda files: files.info(path))
        return info is not None and info["type"] == "directory"

    def names_in(self, folder: str) -> frozenset[str]:
        """The names in a folder. Raises SavepointError."""
        names = self._ask(folder, lambda files: files.ls(folder, detail=False))
        return frozenset(posixpath.basename(name.rstrip("/")) for name in names or ())

    def open(self, path: str) -> BinaryIO | None:
        """A file to read and seek in, None where there is none. Raises SavepointError, when read too."""
        size = self.size(path)
        if size is None:
            return None
        return cast("BinaryIO", _RangedFile(lambda start, end: self._range(path, start, end), size))

    def _range(self, path: str, start: int, end: int) -> bytes:
        options = _EXACT_RANGES.get(self._name, {})
        data: bytes | None = self._ask(path, lambda files: files.cat_file(path, start=start, end=end, **options))
        if data is None:
            raise SavepointError(f"{self._url(path)} is gone since it was first looked at. Is something cleaning up?")
        return data[: end - start]

    def _url(self, path: str) -> str:
        if "://" in path:  # HTTP
            return masked(path)
        if path.startswith("/") and not path.startswith(f"/{self._authority}/"):  # HDFS
            return masked(f"{self._scheme}://{self._authority}{path}")
        return masked(f"{self._scheme}://{path.lstrip('/')}")

    def _ask(self, path: str, call: Callable[[Any], Answer]) -> Answer | None:
        """The store's answer, None for what is not there. Raises SavepointError."""
        if self._failure is not None:
            raise UnansweredError(self._failure)
        limit = NEXT_ANSWER if self._answered else FIRST_ANSWER
        try:
            answer = within(limit, lambda: call(self._connected()))
        except FileNotFoundError:
            self._answered = True
            return None
        except SavepointError as error:
            self._failure = str(error)
            raise UnansweredError(self._failure) from error
        except LateError as error:
            reason = f"no answer within {limit:.0f} seconds"
            self._failure = f"{self._url(path)} can't be read: {reason}. {self._hint()}."
            raise UnansweredError(self._failure) from error
        except Exception as error:
            message = f"{self._url(path)} can't be read: {_reason(error)}. {self._hint()}."
            if _is_refusal(error):
                self._answered = True
                raise SavepointError(message) from error
            self._failure = message
            raise UnansweredError(message) from error
        self._answered = True
        return answer

    def _hint(self) -> str:
        return _HINTS.get(self._name, "Check address and credentials")

    def _connected(self) -> Any:
        if self._files is None:
            url = f"{self._name}://{self._authority}/"
            if self._name == "abfs":
                _check_account(self._scheme, self._authority)
            if self._name == "gs":
                _check_key_file()
            options = _fsspec_class(self._scheme, self._name)._get_kwargs_from_urls(url)
            if self._scheme == "viewfs":
                options["host"] = f"viewfs://{self._authority}"
            if self._scheme == "swebhdfs":
                options["use_https"] = True
            self._files = _fsspec_class(self._scheme, self._name)(**options)
        return self._files


class _RangedFile(io.RawIOBase):
    """A file of known size of which just what is asked for is fetched."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        super().__init__()
        self._fetch = fetch
        self._size = size
        self._position = 0

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to an offset; nothing is fetched by that."""
        self._position = max(0, offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence])
        return self._position

    def readinto(self, target: Any) -> int:
        """Fill ``target`` up to the end of the file; less only where fewer bytes come than the size promised."""
        view = memoryview(target).cast("B")
        end = min(self._position + len(view), self._size)
        part = self._fetch(self._position, end) if self._position < end else b""
        view[: len(part)] = part
        self._position += len(part)
        return len(part)


def local_copy(stream: BinaryIO, name: str) -> IO[bytes]:
    """A copy on this machine of a file that is read again and again, gone with what is returned.

    Raises SavepointError.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    copy = tempfile.NamedTemporaryFile()  # noqa: SIM115 - lives as long as the caller wants
    folder = tempfile.gettempdir()
    try:
        if size > shutil.disk_usage(folder).free:
            raise OSError("too little space")
        shutil.copyfileobj(stream, copy, _PIECE)
        copy.flush()
    except OSError as error:
        raise SavepointError(
            f"{name} of {size} bytes can't be copied to {folder}: {error}. Name a roomier folder with TMPDIR."
        ) from error
    if copy.tell() != size:
        raise SavepointError(f"{name} has {size} bytes, but only {copy.tell()} came. Try again.")
    return copy


@lru_cache(maxsize=64)
def remote_files(scheme: str, authority: str) -> RemoteFiles:
    """The store of a scheme and host, one object each: it remembers that a store does not answer."""
    return RemoteFiles(scheme, authority)


def _fsspec_class(scheme: str, name: str) -> Any:
    """The class of fsspec for a store. Raises SavepointError where a package is missing."""
    copy = "Or copy the savepoint here and name the copy."
    missing = f"{scheme}:// needs a package that is not installed"
    if name in _EXTRAS:
        missing += f": pip install 'savepoint-checker[{name}]'"
    try:
        import fsspec
    except ImportError as error:
        raise SavepointError(f"{missing}. {copy}") from error
    try:
        found = fsspec.get_filesystem_class(name)
    except ImportError as error:
        raise SavepointError(f"{missing} ({error}). {copy}") from error
    except ValueError as error:
        raise SavepointError(f"{scheme}:// is not a store that fsspec knows. Check the spelling. {copy}") from error
    for logger in _LOGGERS:  # they print tracebacks of what is reported in one line here
        if not logging.getLogger(logger).handlers:
            logging.getLogger(logger).addHandler(logging.NullHandler())
    return found


def _check_account(scheme: str, authority: str) -> None:
    """Raises SavepointError where the credentials of the environment are of another Azure account than the URL's.

    adlfs would look into the other account, or show that account's token to this one.
    """
    account = re.match(r"(?:.*@)?([^.@]+)\.(?:dfs|blob)\.", authority)
    if account is None:
        return
    named = re.search(r"(?:^|;)\s*AccountName=([^;]+)", os.environ.get("AZURE_STORAGE_CONNECTION_STRING", ""), re.I)
    of = named[1].strip() if named else os.environ.get("AZURE_STORAGE_ACCOUNT_NAME", "")
    if of and of != account[1]:
        raise SavepointError(
            f"{scheme}://{masked(authority)}/ is in the account {account[1]}, but the credentials in the environment "
            f"are of {of}. Set AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_ACCOUNT_NAME for {account[1]}."
        )


def _check_key_file() -> None:
    """Raises SavepointError for a key file that is not there: gcsfs would go on without it, and wait for others."""
    file = os.environ.get("GOOGLE_APPLICATION_CREDENTIALS")
    if file and not os.path.isfile(file):
        raise SavepointError(f"GOOGLE_APPLICATION_CREDENTIALS names {file}, which is not there. Check the path.")


def _is_refusal(error: BaseException) -> bool:
    """Whether a store answered that this may not be read, in whatever way its package says so."""
    if isinstance(error, PermissionError):
        return True
    codes = [getattr(error, name, None) for name in ("code", "status", "status_code")]
    return any(str(code).isdigit() and int(str(code)) in _REFUSED for code in codes) or (
        type(error) is OSError and str(error).startswith("Forbidden")  # gcsfs
    )


def _reason(error: BaseException) -> str:
    """An exception in one line without secrets."""
    text = masked(re.sub(r"^\[Errno \d+\] ", "", " ".join(str(error).split())).rstrip(".")) or type(error).__name__
    if "Unable to load libjvm" in text:  # of pyarrow, with every path that it tried
        return "no Java with Hadoop's libraries is found on this machine"
    return text if len(text) <= _LONGEST_REASON else text[:_LONGEST_REASON] + " …"
