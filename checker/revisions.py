"""Files of a revision, read out of git objects: never a checkout, never a change to the user's work tree.

A revision is a commit, branch or tag; ``:index`` (what is staged), ``:worktree`` (files as they are on disk),
``:nothing`` (no files: what a first commit is compared with); or ``tag:PATTERN``, the newest tag that matches. Hooks
run with git's own ``GIT_*`` variables set: only those that name the index and the object store of this very
repository are honoured.
"""

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from checker.cache import active_cache, use_cache
from checker.errors import RevisionError
from checker.files_below import FilesBelow, why_unsound
from checker.git_files import GitFiles, Trees, WorktreeFiles, differing, missing
from checker.git_process import AT_ONCE, Git, GitError, read_only
from checker.model.sources import SourceFiles
from checker.processes.starting import LOCALE, USER, environment, nothing_from

_LINK, _SUBMODULE = "120000", "160000"
"""Git's modes of a symbolic link and of a submodule."""
INDEX, WORKTREE, NOTHING = ":index", ":worktree", ":nothing"
_KEPT_IN_HOOKS = ("GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_QUARANTINE_PATH")
_HARMLESS = ("GIT_EXEC_PATH", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY*", "GIT_CONFIG_VALUE*", "GIT_TRACE*")


@dataclass(frozen=True)
class Revision:
    """One revision of a repository: what was asked for, what it is, and its files."""

    asked: str
    commit: str | None
    """40 hex digits, None for ``:index``, ``:worktree`` and ``:nothing``."""
    files: SourceFiles
    note: str | None = None
    """How a default was chosen, for the reader of a report."""

    @property
    def label(self) -> str:
        """Short text for people."""
        if self.commit is None:
            return {INDEX: "staged changes", WORKTREE: "work tree", NOTHING: "nothing"}[self.asked]
        short = self.commit[:10]
        return short if self.commit.startswith(self.asked) else f"{self.asked} ({short})"


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """What a history says about one commit."""

    time: int
    """Committer time, seconds since 1970."""
    subject: str


class Repository:
    """A git repository, found from a folder in it. Raises RevisionError when there is none."""

    def __init__(self, folder: Path | str = ".") -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise RevisionError(f"{folder}: no such folder; give the repository with --repo FOLDER")
        here = folder.resolve() == Path.cwd().resolve()
        nothing_from(folder)
        env = environment(*LOCALE, *USER, *_HARMLESS)
        if here:
            for key in _KEPT_IN_HOOKS:
                if key in os.environ:
                    value = os.environ[key]
                    env[key] = os.path.abspath(value) if key != _KEPT_IN_HOOKS[2] else value
        env = read_only(env)
        try:
            bare, top = _found(Git(str(folder.resolve()), env))
        except FileNotFoundError:
            raise RevisionError("git is not installed, or not on the PATH") from None
        except GitError as error:
            if "dubious ownership" in error.complaint:
                raise RevisionError(
                    f"{folder}: git refuses a repository owned by somebody else; "
                    f"run 'git config --global --add safe.directory {folder.resolve()}'"
                ) from None
            raise RevisionError(
                f"{folder}: not inside a git repository; run this in one or give --repo FOLDER"
            ) from None
        self.top = Path(top)
        if not bare and self.top.resolve() != _nearest(folder.resolve()):
            raise RevisionError(
                f"{folder}: its .git/config (core.worktree) names {top}, not the folder that holds .git"
            )
        nothing_from(self.top)
        self.bare = bare
        self._env = env
        self._git = Git(str(self.top), env)
        self._run = self._git.run
        self._leave_a_cache_that_is_tracked()
        self._trees = Trees(self._git)

    def _leave_a_cache_that_is_tracked(self) -> None:
        """Use no cache that comes with the repository: it would say whatever the head wants."""
        cache = active_cache()
        if cache is None or self.bare:
            return
        folder = cache.file.parent.parent.resolve() / cache.file.parent.name
        if folder.is_relative_to(self.top.resolve()) and self._try("ls-files", "--", str(folder)):
            use_cache(None)

    def _try(self, *arguments: str) -> str | None:
        try:
            return self._run(*arguments)
        except GitError:
            return None

    @cached_property
    def shallow(self) -> bool:
        """Whether history is cut off, as in most CI checkouts."""
        return self._try("rev-parse", "--is-shallow-repository") == "true"

    def commit_of(self, asked: str) -> str:
        """The commit a name stands for. Raises RevisionError with what to fetch when it isn't here."""
        if asked.startswith("-") or not asked.strip():
            raise RevisionError(f"'{asked}' is not a revision; give a commit, branch or tag")
        commit = self._try("rev-parse", "--verify", "--quiet", "--end-of-options", f"{asked}^{{commit}}")
        name = re.split(r"[~^@]", asked, maxsplit=1)[0]
        if commit:
            self._refuse_two(name)
            return commit
        if asked.startswith(":"):
            forms = f"{INDEX} (what is staged), {WORKTREE} (on disk) or {NOTHING}"
            raise RevisionError(f"'{asked}' is not a revision; those that begin with a colon are {forms}")
        branch = name.removeprefix("origin/")
        tracked = f"git fetch origin {branch}:refs/remotes/origin/{branch}"
        if self.shallow:
            alone = tracked if branch != name else f"git fetch --depth=1 origin {asked}"
            raise RevisionError(
                f"'{asked}' is not in this shallow clone; fetch it first: 'git fetch --unshallow'"
                f"{f' or {alone!r}' if name == asked else ''} (on GitHub: actions/checkout with fetch-depth: 0)"
            )
        if not self._try("rev-parse", "--verify", "--quiet", "HEAD"):
            raise RevisionError(f"'{asked}' is not a revision: the repository has no commits yet")
        commits = None if name == asked else self._try("rev-list", "--count", "--first-parent", name, "--")
        if commits:
            several = "1 commit" if commits == "1" else f"{commits} commits"
            raise RevisionError(f"'{asked}' is before the first commit: {name} has {several}")
        raise RevisionError(
            f"'{asked}' is not a commit, branch or tag of this repository; "
            f"'{tracked if branch != name else 'git fetch --tags'}' may bring it"
        )

    def _refuse_two(self, name: str) -> None:
        """Raises RevisionError where a tag has a branch's name: git takes the tag, which comes with any fetch."""
        named = [f"refs/{kind}/{name}" for kind in ("tags", "heads", "remotes")]
        if name != "HEAD" and not re.fullmatch("[0-9a-f]{40}", name):
            found = (self._try("for-each-ref", "--format=%(refname)", *named) or "").split("\n")
            there = [ref for ref in named if ref in found]
            if named[0] in there[:-1]:
                raise RevisionError(f"'{name}' is a tag and a branch: say which, {' or '.join(there)}")

    def head(self, asked: str) -> Revision:
        """The revision to judge: anything that ``revision`` takes. For HEAD its note says what on disk it is not."""
        revision = self.revision(asked)
        if asked != "HEAD" or self.bare:
            return revision
        count = len(differing(self._git, self.top, revision.files))
        if not count:
            return revision
        files = "a file differs" if count == 1 else f"{count} files differ"
        return replace(revision, note=f"{files} on disk, which is not checked: --head :worktree checks it")

    def base(self, asked: str | None, head: Revision | None) -> Revision:
        """The revision to compare with; None = the merge base with the default branch.

        Where that is the head itself (a push to the default branch) the base is the head's first parent; for
        staged or unstaged changes it is HEAD. Without a head it is what ``repair`` compares the work tree with: the
        base of HEAD, or HEAD on the default branch if files on disk differ from it or nothing is before it.
        """
        if asked is not None:
            return self.revision(asked)
        committed = None
        if head is None or head.commit is None:
            if not self._try("rev-parse", "--verify", "--quiet", "HEAD"):
                return self._nothing("base: nothing, as there is no commit yet")
            committed = replace(self.revision("HEAD"), note="base: HEAD, what is committed")
            if head is not None:
                return committed
            head = committed
        ref = self._default_branch()
        if ref is None:
            heads = (self._try("for-each-ref", "--format=%(refname:short)", "refs/heads") or "").splitlines()
            raise RevisionError(
                "no default branch found to compare with (tried origin/HEAD, main, master); give --base REVISION, such "
                f"as one of the branches here: {', '.join(heads[:5])}"
            )
        branch = ref.removeprefix("refs/remotes/").removeprefix("refs/heads/")
        found = self._try("merge-base", ref, str(head.commit))
        if not found:
            if self.shallow:
                raise RevisionError(
                    f"this shallow clone does not reach the merge base of {branch} and {head.asked}; fetch history "
                    "first: 'git fetch --unshallow' (on GitHub: actions/checkout with fetch-depth: 0)"
                )
            raise RevisionError(f"{branch} and {head.asked} have no common ancestor; give --base REVISION")
        if found != head.commit:
            return self._at(branch, found, f"base: merge base with {branch}")
        parent = self._try("rev-parse", "--verify", "--quiet", f"{head.commit}^1")
        if committed is not None and (self.head("HEAD").note is not None or not (parent or self.shallow)):
            return committed
        if parent:
            return self._at(f"{head.asked}~1", parent, f"base: first parent, as {head.asked} is on {branch}")
        if self.shallow:
            raise RevisionError(
                f"this shallow clone has no parent of {head.asked}; fetch it first: 'git fetch --deepen=1'"
            )
        raise RevisionError(f"{head.asked} is the first commit: there is nothing before it; give --base REVISION")

    def _nothing(self, note: str | None = None) -> Revision:
        return Revision(NOTHING, None, GitFiles(self._git, {}), note)

    def _default_branch(self) -> str | None:
        """The whole name of its ref, which no tag has."""
        remote = self._try("symbolic-ref", "--quiet", "refs/remotes/origin/HEAD")
        usual = (f"refs/{where}/{name}" for where in ("remotes/origin", "heads") for name in ("main", "master"))
        for ref in (remote, *usual):
            if ref and self._try("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"):
                return ref
        return None

    def revision(self, asked: str) -> Revision:
        """A commit, branch, tag, ``tag:PATTERN``, ``:index``, ``:worktree`` or ``:nothing``. Raises RevisionError."""
        if asked == NOTHING:
            return self._nothing()
        if asked == INDEX:
            return Revision(asked, None, self._index_files())
        if asked == WORKTREE:
            if self.bare:
                raise RevisionError("a bare repository has no work tree; give a commit")
            return Revision(asked, None, self._files_on_disk())
        if asked.startswith("tag:"):
            pattern = asked.removeprefix("tag:")
            tags = self._run("tag", "--list", "--sort=-creatordate", "--sort=-version:refname", "--", pattern)
            newest = tags.split("\n")[0] if tags else ""
            if not newest:
                raise RevisionError(f"no tag matches '{pattern}'; 'git fetch --tags' may bring it")
            return self._at(newest, self.commit_of(f"refs/tags/{newest}"), f"newest tag matching {pattern}")
        return self._at(asked, self.commit_of(asked), None)

    def _at(self, asked: str, commit: str, note: str | None) -> Revision:
        return Revision(asked, commit, self.files_at(commit), note)

    def files_at(self, commit: str) -> SourceFiles:
        """The files of a commit by its full id: of a history, only the folders are read that were not before."""
        return self._trees.files(commit)

    def release(self) -> None:
        """Give back what is kept of objects and git's processes that wait; what is asked for later starts others."""
        self._trees.forget()
        self._git.close()

    def _index_files(self) -> GitFiles:
        if self.bare:
            raise RevisionError("a bare repository has no index; give a commit")
        blobs: dict[str, str] = {}
        links: dict[str, str] = {}
        submodules: dict[str, str] = {}
        for mode, blob, stage, path in self._staged():
            if stage != "0":
                raise RevisionError(f"{path}: has unresolved merge conflicts; resolve and 'git add' it first")
            kind = links if mode == _LINK else submodules if mode == _SUBMODULE else blobs
            kind[path] = blob
        return GitFiles(self._git, blobs, links, submodules)

    def _staged(self) -> list[tuple[str, str, str, str]]:
        """Mode, id, stage and path of all that the index holds. Raises RevisionError."""
        found = []
        for line in filter(None, self._run("ls-files", "--stage", "-z").split("\0")):
            attributes, path = line.split("\t", 1)
            if (why := why_unsound(path)) is not None:
                raise RevisionError(f"the index is damaged: of its path {path!a}, {why}; 'git fsck' says more")
            mode, blob, stage = attributes.split(" ")
            found.append((mode, blob, stage, path))
        return found

    def _files_on_disk(self) -> WorktreeFiles:
        """Tracked and new files, and the commits of submodules: those checked out, else those of the index."""
        below, staged = FilesBelow(self.top), self._staged()
        folders = {"", *(f"{path[:end]}/" for *_, path in staged if (end := path.rfind("/")) > 0)}
        for path in (f"{folder}.gitignore" for folder in folders):
            if stat.S_IFMT(below.kind(path)) not in (0, stat.S_IFREG, stat.S_IFLNK, stat.S_IFDIR):
                raise RevisionError(f"{path}: is not a regular file, and git would wait for what it says")
        submodules: dict[str, str] = {}
        for mode, commit, _, path in staged:
            if mode == _SUBMODULE:
                submodules[path] = commit
                if below.kind(f"{path}/.git"):
                    with suppress(GitError):
                        submodules[path] = Git(str(self.top / path), self._env).run("rev-parse", "HEAD")
        others = filter(None, self._run("ls-files", "-z", "--others", "--exclude-standard").split("\0"))
        return WorktreeFiles(self._git, self.top, [*dict.fromkeys(path for *_, path in staged), *others], submodules)

    def steps(self, first: str, last: str) -> tuple[str, ...]:
        """First-parent commits from ``first`` to ``last``, both included, oldest first."""
        start, end = self.commit_of(first), self.commit_of(last)
        return (start, *self._run("rev-list", "--first-parent", "--reverse", f"{start}..{end}").split())

    def tags(self, pattern: str) -> tuple[str, ...]:
        """Tags that match a pattern, oldest first."""
        listed = self._run("tag", "--list", "--sort=creatordate", "--sort=version:refname", "--", pattern)
        return tuple(t for t in listed.split("\n") if t)

    def about(self, commits: Sequence[str]) -> dict[str, CommitInfo]:
        """Commit → when it was made and what its message says first. Raises RevisionError."""
        found: dict[str, CommitInfo] = {}
        for start in range(0, len(commits), AT_ONCE):
            asked = commits[start : start + AT_ONCE]
            try:
                found |= zip(asked, map(_info, asked, self._git.blobs(asked, b"commit")), strict=True)
            except KeyError as error:
                raise missing("a commit", error.args[0]) from None
        return found

    @cached_property
    def remote_address(self) -> str | None:
        """The address of the remote origin; None without one."""
        return self._try("config", "--get", "remote.origin.url")

    def remote_name(self) -> str | None:
        """``owner/name`` of the remote origin, for links; None when there is none."""
        url = self.remote_address or ""
        match = re.search(r"[:/]([^/:]+/[^/]+?)(?:\.git)?/?$", url)
        return match[1] if match else None


_COMMITTER = re.compile(rb"^committer [^\n]*> (\d{1,12}) [+-]\d+$", re.MULTILINE)
_ENCODING = re.compile(rb"^encoding ([\w.:-]+)$", re.MULTILINE)
_LONGEST_SUBJECT = 10_000
_LAST_SECOND = 253_402_300_799
"""Of the year 9999, the last that calendars here know."""


def _info(name: str, commit: bytes) -> CommitInfo:
    """What a commit object says. Raises RevisionError where it has no date."""
    head, _, message = commit.partition(b"\n\n")
    made = _COMMITTER.search(head)
    if made is None or int(made[1]) > _LAST_SECOND:
        raise RevisionError(f"commit {name[:10]}: has no date that can be read; 'git fsck' says more")
    subject = message.lstrip(b"\n").partition(b"\n")[0][:_LONGEST_SUBJECT]
    encoding = _ENCODING.search(head)
    try:
        return CommitInfo(int(made[1]), subject.decode(encoding[1].decode() if encoding else "utf-8", "replace"))
    except (LookupError, ValueError):
        return CommitInfo(int(made[1]), subject.decode("utf-8", "replace"))


def _nearest(folder: Path) -> Path | None:
    """The nearest folder, at or above, that holds a repository."""
    for above in (folder, *folder.parents):
        if (above / ".git").is_file() or os.path.lexists(above / ".git" / "HEAD"):
            return above
    return None


def _found(git: Git) -> tuple[bool, str]:
    """Whether a repository is bare, and its top folder. Raises GitError."""
    try:
        _, top = git.run("rev-parse", "--is-bare-repository", "--show-toplevel").split("\n", 1)
    except GitError as error:
        if error.printed != "true":
            raise
        return True, git.run("rev-parse", "--absolute-git-dir")
    return False, top
