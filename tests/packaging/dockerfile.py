"""A Dockerfile's instructions, run in scratch roots: what builds an image where there is no docker.

Each stage is a layer over its base (overlayfs, in a mount namespace of its own, so nothing stays mounted), and each
instruction runs in a chroot with the stage's environment, folder and user. Debian with its own Python stands in for the
official image of Python. What package managers download is kept for the next run. Needs root on Linux.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
TRUSTED = "/certificates.crt"
"""Inside of a root: by which this machine reaches package indexes."""
PACKAGES = "ca-certificates,python3,python3-pip,python3-venv"


class NotHereError(Exception):
    """This machine can't make scratch roots, for a reason that is none of the Dockerfile's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Downloads:
    """Folders with what package managers downloaded before."""

    apt: Path
    pip: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One ``FROM`` with the instructions below it, as word and text."""

    base: str
    name: str
    instructions: tuple[tuple[str, str], ...]


def stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile, in order."""
    found: list[Stage] = []
    lines = re.sub(r"\\\n\s*", " ", re.sub(r"^\s*#.*\n", "", text, flags=re.M)).splitlines()
    for line in filter(str.strip, lines):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, _, name = re.fullmatch(r"(\S+)( AS (\w+))?", rest).groups()  # type: ignore[union-attr]
            found.append(Stage(base=base, name=name or str(len(found)), instructions=()))
            continue
        last = found[-1]
        found[-1] = Stage(base=last.base, name=last.name, instructions=(*last.instructions, (word, rest)))
    return found


@dataclass(slots=True, kw_only=True)
class Image:
    """A stage that was built: its layers, the uppermost first, and how its programs are started."""

    layers: tuple[Path, ...]
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": PATH})
    folder: str = "/"
    user: str = "root"
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)

    def run(self, *words: str, mounts: Mapping[Path, str] | None = None) -> subprocess.CompletedProcess[str]:
        """As ``docker run``: the entry point with these words, or with its own."""
        return self.inside([*self.entrypoint, *(words or self.command)], mounts=mounts)

    def inside(
        self, words: Sequence[str], *, mounts: Mapping[Path, str] | None = None, build: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """A program with the image's environment, folder and user, and what is mounted by path inside of it."""
        upper, *lower = self.layers
        root = upper.with_name(f"{upper.name}.root")
        work = upper.with_name(f"{upper.name}.work")
        for folder in (root, work):
            folder.mkdir(exist_ok=True)
        layers = f"lowerdir={':'.join(map(str, lower))},upperdir={upper},workdir={work}"
        steps = [
            f"mount -t overlay overlay -o {layers} {root}",
            f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            f"cp --remove-destination /etc/resolv.conf {root}/etc/resolv.conf",
            f"echo 127.0.0.1 localhost $(hostname) > {root}/etc/hosts",  # as Docker does
        ]
        for source, target in (mounts or {}).items():
            steps += [f"mkdir -p {root}{target}", f"mount --bind {source} {root}{target}"]
        inside = f"cd {shlex.quote(self.folder)} && exec {shlex.join(words)}"
        home = "/root" if self.user == "root" else f"/home/{self.user}"
        compiled = {"PYTHONPYCACHEPREFIX": "/tmp/compiled"}  # what a run imports is compiled once, not all ahead
        variables = {**self.environment, "HOME": home, **(compiled if build is None else build)}
        steps.append(
            shlex.join(["exec", "env", "-i", *(f"{k}={v}" for k, v in variables.items()),
                        "/usr/sbin/chroot", f"--userspec={self.user}", str(root), "/bin/sh", "-c", inside])
        )  # fmt: skip
        script = "set -e\n" + "\n".join(steps)
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--kill-child", "sh", "-c", script],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip


def build(text: str, context: Path, bases: Mapping[str, Path], folder: Path, kept: Downloads) -> dict[str, Image]:
    """All stages' images. ``context`` is the build context, ``bases`` are roots of the images they are built from."""
    built: dict[str, Image] = {}
    for stage in stages(text):
        below = built[stage.base] if stage.base in built else Image(layers=(bases[stage.base],))
        upper = folder / stage.name
        upper.mkdir(parents=True)
        image = Image(
            layers=(upper, *below.layers), environment=dict(below.environment), folder=below.folder, user=below.user,
            entrypoint=below.entrypoint, command=below.command,
        )  # fmt: skip
        given: dict[str, str] = {}
        for word, rest in stage.instructions:
            if word == "RUN":
                _run(image, rest, given, kept)
            elif word == "COPY":
                _copy(image, rest, context, built)
            elif word == "ARG":
                name, _, default = rest.partition("=")
                given[name] = default
            elif word == "ENV":
                image.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))  # type: ignore[misc]
            elif word == "WORKDIR":
                image.folder = rest
                _run(Image(layers=image.layers), f"mkdir -p {rest}", {}, kept)
            elif word == "USER":
                image.user = rest
            elif word == "ENTRYPOINT":
                image.entrypoint, image.command = json.loads(rest), []
            elif word == "CMD":
                image.command = json.loads(rest)
            else:
                raise AssertionError(f"{word} is not known here")
        built[stage.name] = image
    return built


def _run(image: Image, command: str, given: Mapping[str, str], kept: Downloads) -> None:
    """One RUN, in a shell, with what was downloaded before and the certificates of this machine."""
    done = attempt(image, command, given, kept)
    assert done.returncode == 0, f"RUN {command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def attempt(image: Image, command: str, given: Mapping[str, str], kept: Downloads) -> subprocess.CompletedProcess[str]:
    """A shell's command as RUN gives it, whatever comes of it."""
    network = dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), TRUSTED) | {"PIP_CACHE_DIR": "/pip", "PIP_COMPILE": "0"}
    return image.inside(
        ["/bin/sh", "-c", command.replace(" --no-cache-dir", "")],
        mounts={kept.apt: "/var/cache/apt/archives", kept.pip: "/pip"},
        build={**network, "DEBIAN_FRONTEND": "noninteractive", **given},
    )


def _copy(image: Image, rest: str, context: Path, built: Mapping[str, Image]) -> None:
    source = re.match(r"--from=(\w+) ", rest)
    *paths, target = rest[source.end() if source else 0 :].split()
    place = image.layers[0] / os.path.normpath(f"{image.folder}/{target}").lstrip("/")
    place.mkdir(parents=True, exist_ok=True)
    for path in paths:
        found = built[source[1]].layers[0] / path.lstrip("/") if source else context / path
        shutil.copytree(found, place, dirs_exist_ok=True, symlinks=True)


def python_root(folder: Path, kept: Downloads) -> Path:
    """Debian 12 with its Python as ``python`` and a new ``pip``, made once. Raises NotHereError."""
    if (folder / "ready").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    for place in (folder, kept.apt, kept.pip):
        place.mkdir(parents=True, exist_ok=True)
    _do("debootstrap", "--variant=minbase", f"--include={PACKAGES}", f"--cache-dir={kept.apt}", "bookworm", str(folder))
    next(folder.glob("usr/lib/python3.*/EXTERNALLY-MANAGED")).unlink()
    (folder / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    shutil.copyfile(CERTIFICATES if CERTIFICATES.exists() else f"{folder}{CERTIFICATES}", f"{folder}{TRUSTED}")
    _do("chroot", str(folder), "env", f"PIP_CERT={TRUSTED}", "python", "-m", "pip", "install", "--upgrade", "pip")
    (folder / "ready").touch()
    return folder


def make_sure(base: Path, folder: Path, kept: Downloads) -> None:
    """A layer can be mounted here, and packages that are none of ours be had in it. Raises NotHereError."""
    folder.mkdir()
    asked = "apt-get update && pip download --no-cache-dir --no-deps --dest /asked iniconfig"
    done = attempt(Image(layers=(folder, base)), asked, {}, kept)
    if done.returncode:
        raise NotHereError(f"{asked}: {(done.stdout + done.stderr)[-300:]}")


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHereError(f"{shlex.join(command)}: {(done.stdout + done.stderr)[-300:]}")
