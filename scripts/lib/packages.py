# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian package and the tarball from programs: the same programs and the same commit give the same bytes."""

import gzip
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ["offstage", "offstaged", "offstage-notifier", "offstage-page", "offstage-fleet"]
# What stands in a Debian package of its own, which needs the database's library.
OF_FLEET = ["usr/bin/offstage-fleet", "usr/share/man/man1/offstage-fleet*.1", "usr/lib/systemd/user/offstage-fleet*",
            "lib/systemd/system/offstage-fleet*", "usr/share/bash-completion/completions/offstage-fleet",
            "usr/share/fish/vendor_completions.d/offstage-fleet.fish"]
# A placeholder that cannot be anybody's address; DEBFULLNAME and DEBEMAIL replace it.
NOBODY = ("Offstage contributors", "contributors@offstage.invalid")
# For those who work on Offstage, not for those who use it.
NOT_GUIDES = {"adding.md", "corelibs-tests.md", "robustness.md", "testing.md"}
COMPLETIONS = [
    ("bash", "share/bash-completion/completions/offstage"),
    ("zsh", "share/zsh/vendor-completions/_offstage"),
    ("fish", "share/fish/vendor_completions.d/offstage.fish"),
]
# A shell looks for a file of the command's name; what is in it is for both programs. zsh finds both names in one file.
OTHER_NAMES = [
    ("share/bash-completion/completions/offstage", "offstage-fleet"),
    ("share/fish/vendor_completions.d/offstage.fish", "offstage-fleet.fish"),
]
# Where each of them looks below /usr/local.
LOCAL_COMPLETIONS = [
    ("bash", "share/bash-completion/completions/offstage"),
    ("zsh", "share/zsh/site-functions/_offstage"),
    ("fish", "share/fish/vendor_completions.d/offstage.fish"),
]


class Problem(Exception):
    """Why there is no package, in a sentence."""


def epoch(source):
    """The date of everything: that of the commit, unless the environment says otherwise."""
    if os.environ.get("SOURCE_DATE_EPOCH"):
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output(["git", "-C", source, "log", "-1", "--format=%ct"]))


def output(command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout.strip()


def environment(date):
    """What packing runs in: nothing of the person's own language, zone or build options."""
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LD_LIBRARY_PATH") if name in os.environ}
    path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    return kept | {"PATH": path, "LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(date)}


def build(source, scratch):
    """Builds the programs of a source for a package, and gives the folder that they are in.

    No path of this machine gets into them: what is compiled lies in /usr/src/offstage as far as they know. The build ID says
    which commit and program it is: the linker's own is a hash of what `stage` overwrites, too.
    """
    commit = output(["git", "-C", source, "rev-parse", "HEAD"])
    flags = [
        "-c", "release", "--static-swift-stdlib", "--disable-local-rpath", "-debug-info-format", "none",
        "--package-path", source, "--scratch-path", scratch,
        "-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{source}=/usr/src/offstage",
        "-Xcc", f"-ffile-prefix-map={source}=/usr/src/offstage",
        "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
    ]  # fmt: skip
    for product in PROGRAMS:
        build_id = hashlib.sha1(f"{commit} {product}".encode()).hexdigest()
        command = ["swift", "build", *flags, "-Xlinker", f"--build-id=0x{build_id}", "--product", product]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return pathlib.Path(output(["swift", "build", *flags, "--show-bin-path"]))


def version_of(binaries):
    """The version that the programs say they are: there is no other source of it."""
    said = {output([binaries / name, "--version"]).rpartition(" ")[2] for name in ("offstage", "offstaged")}
    if len(said) != 1 or not re.fullmatch(r"\d+\.\d+\.\d+", next(iter(said))):
        raise Problem(f"The programs in {binaries} are not of one version ({', '.join(sorted(said))}): build them again.")
    return said.pop()


def check_programs(binaries, names):
    for name in names:
        if not (binaries / name).is_file():
            raise Problem(f"There is no {name} in {binaries}: build it, or leave out --binaries.")
        linked = output(["ldd", binaries / name])
        if "libswiftCore.so" in linked:
            raise Problem(f"{binaries / name} needs Swift's libraries: build it with --static-swift-stdlib.")


def write(path, data, mode=0o644):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    path.chmod(mode)


def blank(path, section):
    """Overwrites a section with zeros. It is one that is loaded: without it, the program would lose its read-only relocations."""
    listing = output(["readelf", "--sections", "--wide", path])
    found = re.search(rf"\] {re.escape(section)} +\S+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ", listing)
    if found:
        place, length = (int(number, 16) for number in found.groups())
        with open(path, "r+b") as file:
            file.seek(place)
            file.write(bytes(length))


def stage(source, binaries, usr, *, completions, prefix, environment):
    """Puts everything below a folder that stands for /usr or /usr/local, but licences and changes."""
    for name in PROGRAMS:
        write(usr / "bin" / name, (binaries / name).read_bytes(), 0o755)
        # For incremental builds, and different in each folder.
        blank(usr / "bin" / name, ".swift_modhash")
    command = binaries / "offstage"
    for shell, place in completions:
        write(usr / place, output([command, "completion", shell], env=environment) + "\n")
    for place, name in OTHER_NAMES:
        (usr / place).with_name(name).symlink_to(pathlib.Path(place).name)
    subprocess.run([command, "manual", usr / "share/man"], check=True, env=environment, stdout=subprocess.DEVNULL)
    for unit in sorted((source / "packaging/systemd/user").iterdir()):
        write(usr / "lib/systemd/user" / unit.name, unit.read_text().replace("/usr/bin/offstage", f"{prefix}/bin/offstage"))
    for guide in sorted([*(source / "docs").glob("*.md"), *(source / "docs").glob("*.svg")]):
        if guide.name not in NOT_GUIDES:
            write(usr / "share/doc/offstage/docs" / guide.name, guide.read_bytes())
    write(usr / "share/doc/offstage/systemd.md", (source / "packaging/README.md").read_bytes())
    # Not one folder higher, where debhelper would take it for the changelog of the package.
    write(usr / "share/doc/offstage/docs/CHANGELOG.md", (source / "CHANGELOG.md").read_bytes())


def maintainer():
    name, address = os.environ.get("DEBFULLNAME") or NOBODY[0], os.environ.get("DEBEMAIL") or NOBODY[1]
    return f"{name} <{address}>"


def make_debs(source, binaries, work, version, date):
    """Makes offstage_VERSION_ARCH.deb and offstage-fleet_VERSION_ARCH.deb in a folder and gives their paths."""
    env = environment(date)
    folder = work / f"offstage-{version}"
    shutil.copytree(source / "packaging/debian", folder / "debian")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() or path.name == "rules" else 0o644)
    tree = folder / "debian/stage"
    stage(source, binaries, tree / "usr", completions=COMPLETIONS, prefix="/usr", environment=env)
    for unit in sorted((source / "packaging/systemd/system").iterdir()):
        write(tree / "lib/systemd/system" / unit.name, unit.read_bytes())
    for pattern in OF_FLEET:
        for path in list(tree.glob(pattern)):
            target = folder / "debian/stage-fleet" / path.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
    control = folder / "debian/control"
    control.write_text(control.read_text().replace("@MAINTAINER@", maintainer()))
    when = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(date))
    write(
        folder / "debian/changelog",
        f"offstage ({version}) unstable; urgency=medium\n\n"
        f"  * Offstage {version}: /usr/share/doc/offstage/docs/CHANGELOG.md says what is new.\n\n"
        f" -- {maintainer()}  {when}\n",
    )
    # A file that is older than the commit would keep its date.
    for path in folder.rglob("*"):
        os.utime(path, (date, date), follow_symlinks=False)
    result = subprocess.run(["debian/rules", "binary"], cwd=folder, env=env, capture_output=True, text=True)
    if result.returncode != 0:
        raise Problem(f"debian/rules failed:\n{result.stdout[-3000:]}{result.stderr[-3000:]}")
    return [next(work.glob(f"{name}_*.deb")) for name in ("offstage", "offstage-fleet")]


def make_tarball(source, binaries, work, version, date):
    """Makes offstage-VERSION-linux-MACHINE.tar.gz in a folder and gives its path."""
    name = f"offstage-{version}-linux-{platform.machine()}"
    tree = work / name
    stage(source, binaries, tree, completions=LOCAL_COMPLETIONS, prefix="/usr/local", environment=environment(date))
    for program in PROGRAMS:
        subprocess.run(["strip", "--remove-section=.comment", "--remove-section=.note", tree / "bin" / program], check=True)
    doc = tree / "share/doc/offstage"
    write(doc / "LICENSE", (source / "LICENSE").read_bytes())
    write(doc / "copyright", (source / "packaging/debian/copyright").read_bytes())
    libraries = sorted({
        line.split()[0] for program in PROGRAMS for line in output(["ldd", tree / "bin" / program]).splitlines()
        if "=>" in line and re.match(r"\s*lib(curl|sqlite3|ssl|crypto|expat|z|idn2|systemd|microhttpd|pq|stdc\+\+)\.", line)
    })  # fmt: skip
    text = (source / "packaging/tarball.md").read_text()
    write(tree / "README.md", text.replace("@VERSION@", version).replace("@LIBRARIES@", ", ".join(libraries)))
    target = work / f"{name}.tar.gz"

    def normal(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = date
        member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        return member

    with open(target, "wb") as file, gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=date) as packed:
        with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
            # Its members are sorted by name.
            for path in [tree, *sorted(tree.rglob("*"))]:
                tar.add(path, arcname=str(path.relative_to(work)), recursive=False, filter=normal)
    return [target]


def pack(source, binaries, target, *, version=None, only_deb=False):
    """Packs programs, and gives the paths of what is now in the target folder: the package, that of fleets, and the tarball.

    A version other than the programs' own is for trying an upgrade.
    """
    source, binaries, target = (pathlib.Path(path).resolve() for path in (source, binaries, target))
    check_programs(binaries, PROGRAMS)
    version, date = version or version_of(binaries), epoch(source)
    target.mkdir(parents=True, exist_ok=True)
    work = target / ".work"
    shutil.rmtree(work, ignore_errors=True)
    made = []
    for make in [make_debs] if only_deb else [make_debs, make_tarball]:
        work.mkdir()
        try:
            made += [path.replace(target / path.name) for path in make(source, binaries, work, version, date)]
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return made


def lint(deb):
    """What lintian says of a package, with errors and warnings alone."""
    command = ["lintian", "--fail-on", "error,warning", "--tag-display-limit", "0", "--allow-root", deb]
    result = subprocess.run(command, capture_output=True, text=True)
    return (result.stdout + result.stderr).strip(), result.returncode == 0


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def differences(first, second):
    """What two packages or tarballs differ in, as lines."""
    if digest(first) == digest(second):
        return []
    members = []
    for path in (first, second):
        folder = path.parent / f".unpacked-{path.name}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        if path.suffix == ".deb":
            subprocess.run(["dpkg-deb", "--raw-extract", path, folder], check=True)
        else:
            subprocess.run(["tar", "-xf", path, "-C", folder], check=True)
        files = (file for file in folder.rglob("*") if file.is_file())
        members.append({str(file.relative_to(folder)): digest(file) for file in files})
        shutil.rmtree(folder)
    names = sorted(name for name in members[0].keys() | members[1].keys() if members[0].get(name) != members[1].get(name))
    return [f"{first.name}: {name}" for name in names] or [f"{first.name}: the archive itself"]
