"""A Dockerfile's instructions, run in scratch roots: what builds an image where there is no docker.

Each stage is a layer over its base (overlayfs, in a mount namespace of its own, so nothing stays mounted), and each
instruction runs in a chroot with the stage's environment, folder and user. The official image of Python is Debian with
a Python in /usr/local; ``python_root`` makes one. Needs root on Linux.
"""

from __future__ import annotations

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
LIBRARIES = (
    "ca-certificates", "libbz2-1.0", "libffi8", "liblzma5", "libncursesw6", "libreadline8", "libsqlite3-0", "libssl3",
    "netbase", "tzdata", "zlib1g",
)  # fmt: skip
"""What Debian's minimal system lacks of what Python is linked with."""


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
        ]
        for source, target in (mounts or {}).items():
            steps += [f"mkdir -p {root}{target}", f"mount --bind {source} {root}{target}"]
        inside = f"cd {shlex.quote(self.folder)} && exec {shlex.join(words)}"
        home = "/root" if self.user == "root" else f"/home/{self.user}"
        variables = {**self.environment, "HOME": home, **(build or {})}
        steps.append(
            shlex.join(["exec", "env", "-i", *(f"{k}={v}" for k, v in variables.items()),
                        "/usr/sbin/chroot", f"--userspec={self.user}", str(root), "/bin/sh", "-c", inside])
        )  # fmt: skip
        script = "set -e\n" + "\n".join(steps)
        return subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "sh", "-c", script],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        )  # fmt: skip


def build(
    text: str, context: Path, bases: Mapping[str, Path], folder: Path, arguments: Mapping[str, str]
) -> dict[str, Image]:
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
                _run(image, rest, given)
            elif word == "COPY":
                _copy(image, rest, context, built)
            elif word == "ARG":
                name, _, default = rest.partition("=")
                given[name] = arguments.get(name, default)
            elif word == "ENV":
                image.environment |= dict(pair.split("=", 1) for pair in shlex.split(rest))  # type: ignore[misc]
            elif word == "WORKDIR":
                image.folder = rest
                _run(Image(layers=image.layers), f"mkdir -p {rest}", {})
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


def _run(image: Image, command: str, given: Mapping[str, str]) -> None:
    """One RUN, in a shell, with the certificates by which this machine reaches package indexes."""
    network = dict.fromkeys(("PIP_CERT", "SSL_CERT_FILE"), "/certificates.crt")
    certificates = image.layers[0] / "certificates.crt"
    shutil.copyfile(CERTIFICATES, certificates)
    done = image.inside(["/bin/sh", "-c", command], build={**network, "DEBIAN_FRONTEND": "noninteractive", **given})
    certificates.unlink()
    assert done.returncode == 0, f"RUN {command}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def _copy(image: Image, rest: str, context: Path, built: Mapping[str, Image]) -> None:
    source = re.match(r"--from=(\w+) ", rest)
    *paths, target = rest[source.end() if source else 0 :].split()
    place = image.layers[0] / os.path.normpath(f"{image.folder}/{target}").lstrip("/")
    place.mkdir(parents=True, exist_ok=True)
    for path in paths:
        found = built[source[1]].layers[0] / path.lstrip("/") if source else context / path
        shutil.copytree(found, place, dirs_exist_ok=True, symlinks=True)


def python_root(folder: Path, prefix: Path, minor: str) -> Path:
    """Debian 12 with the Python that is installed at ``prefix`` in /usr/local: what the official image is made of."""
    if (folder / "usr/local/bin/pip").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(parents=True, exist_ok=True)
    _do("debootstrap", "--variant=minbase", f"--include={','.join(LIBRARIES)}", "bookworm", str(folder))
    for name, left_out in (("bin", ("pip*",)), ("lib", ("site-packages", "test", "__pycache__"))):
        left = shutil.ignore_patterns(*left_out)
        shutil.copytree(prefix / name, folder / "usr/local" / name, symlinks=True, dirs_exist_ok=True, ignore=left)
    _do("chroot", str(folder), "/sbin/ldconfig")
    _do("chroot", str(folder), f"/usr/local/bin/python{minor}", "-m", "ensurepip")
    for name, target in (("python", f"python{minor}"), ("python3", f"python{minor}"), ("pip", "pip3")):
        link = folder / "usr/local/bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(target)
    return folder


def _do(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
