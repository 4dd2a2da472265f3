#!/usr/bin/env python3
"""Builds everything that a release publishes, into `target/dist`. Publishes nothing.

    python3 tools/release.py archives [TARGET ...]   the program for each system
    python3 tools/release.py libraries [TARGET ...]  the C library for each system
    python3 tools/release.py wheels [TARGET ...]     the Python package, and its source
    python3 tools/release.py debian                  the Debian package
    python3 tools/release.py data                    certificates and counts, for a DOI
    python3 tools/release.py crates                  packages all crates, and builds each from its package
    python3 tools/release.py sums                    SHA256SUMS of all that is there
    python3 tools/release.py same DIR                whether another build has the same bytes

Needs cargo-zigbuild, ziglang, maturin and twine from PyPI, dpkg for the Debian package, and MinGW's
gcc for the wheel of Windows; rustup adds the targets. The bytes do not depend on the directory, the
time or the user: two builds with the same compilers are the same. The static library for Windows is
not: it names temporary files of zig.

An archive has the program, manual pages, completions, licences, and the certificates that are a part
of the program.
`cargo publish --workspace` publishes the crates, in the order that they need.
"""

import argparse
import filecmp
import functools
import gzip
import hashlib
import io
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
DIST = TARGET / "dist"
VERSION = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]

# The oldest C library that a target needs, where it is not a part of the program.
GLIBC = "2.17"
LINUX = "x86_64-unknown-linux-musl"
TARGETS = [
    LINUX,
    "aarch64-unknown-linux-musl",
    "x86_64-unknown-linux-gnu",
    "x86_64-pc-windows-gnu",
    "aarch64-apple-darwin",
    "x86_64-apple-darwin",
]
# A program has its own C library, but what a program loads needs the one of the program.
LOADED = [*TARGETS, "aarch64-unknown-linux-gnu"]
# The oldest macOS that a program runs on.
MACOS = "11.0"
# The libraries of macOS, which zig has not, and the names that are taken from them.
FRAMEWORKS = "/System/Library/Frameworks/{0}.framework/Versions/A/{0}"
APPLE = {
    "libobjc.tbd": ("/usr/lib/libobjc.A.dylib", ""),
    "Foundation.framework/Foundation.tbd": (FRAMEWORKS.format("Foundation"), ""),
    "CoreFoundation.framework/CoreFoundation.tbd": (
        FRAMEWORKS.format("CoreFoundation"),
        "CFDataGetBytes CFDataGetLength CFDataGetTypeID CFGetTypeID CFRelease CFRetain "
        "CFStringCreateWithBytesNoCopy kCFAllocatorDefault kCFAllocatorNull",
    ),
    "IOKit.framework/IOKit.tbd": (
        FRAMEWORKS.format("IOKit"),
        "IOIteratorNext IOObjectRelease IORegistryEntryCreateCFProperty IORegistryEntryGetName "
        "IOServiceGetMatchingServices IOServiceMatching kIOMasterPortDefault",
    ),
}
SHELLS = {"bash": "fanorona.bash", "zsh": "_fanorona", "fish": "fanorona.fish", "powershell": "fanorona.ps1"}
LICENCES = ["LICENSE-APACHE", "LICENSE-MIT"]


def run(*command, **options):
    print("+", *command, file=sys.stderr, flush=True)
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=True, text=True, **options)


def output(*command):
    return run(*command, stdout=subprocess.PIPE).stdout.strip()


def environment(target, *flags):
    """Makes the bytes independent of where and when they are built. Adds flags for the compiler."""
    cargo_home = os.environ.get("CARGO_HOME", Path.home() / ".cargo")
    # The compiler takes the last one that fits.
    places = {ROOT: "fanorona", TARGET: "fanorona/target", cargo_home: "cargo"}
    places[output("rustc", "--print", "sysroot")] = "rust"
    remapped = [f"--remap-path-prefix={place}={name}" for place, name in places.items()]
    found = [f"-L{kind}={apple()}" for kind in ("native", "framework") if "apple" in target]
    return os.environ | {
        "CARGO_ENCODED_RUSTFLAGS": "\x1f".join([*remapped, *found, *flags]),
        "CFLAGS": " ".join(f"-ffile-prefix-map={place}={name}" for place, name in places.items()),
        "CARGO_PROFILE_RELEASE_DEBUG": "false",
        "CARGO_PROFILE_RELEASE_STRIP": "symbols",
        "CARGO_TARGET_DIR": str(TARGET),
        "MACOSX_DEPLOYMENT_TARGET": MACOS,
        "SOURCE_DATE_EPOCH": str(epoch()),
        # With zig it is so anyway, and what is built without zig is in the same directory.
        "WINAPI_NO_BUNDLED_LIBRARIES": "1",
    }


@functools.cache
def apple():
    """Writes for each of `APPLE` the text that a linker reads in place of the library."""
    directory = TARGET / "apple"
    systems = "[ arm64-macos, x86_64-macos ]"
    for file, (library, names) in APPLE.items():
        path = directory / file
        path.parent.mkdir(parents=True, exist_ok=True)
        symbols = ", ".join(f"_{name}" for name in names.split())
        path.write_text(
            f"--- !tapi-tbd\ntbd-version: 4\ntargets: {systems}\ninstall-name: {library}\n"
            f"exports:\n  - targets: {systems}\n    symbols: [ {symbols} ]\n...\n"
        )
    return directory


@functools.cache
def epoch():
    """The time of the commit."""
    return int(output("git", "log", "-1", "--format=%ct"))


def added(target):
    """Adds a target, and returns it with the version of the C library, as cargo-zigbuild wants it."""
    run("rustup", "target", "add", target)
    return f"{target}.{GLIBC}" if target.endswith("-linux-gnu") else target


def build(target):
    """Builds the program, and returns its path."""
    command = ["cargo", "zigbuild", "--locked", "--release", "-p", "fanorona-cli", "--target", added(target)]
    run(*command, env=environment(target))
    name = "fanorona.exe" if "windows" in target else "fanorona"
    return TARGET / target / "release" / name


def common():
    """The files beside the program, by their names."""
    # Its program runs here, and writes some of them.
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    here = build(LINUX.replace("x86_64", machine))
    files = {name: (ROOT / name).read_bytes() for name in [*LICENCES, "CITATION.cff"]}
    proofs = ROOT / "data/proofs"
    for proof in [*proofs.glob("*.proof"), *proofs.glob("openings/*.proof")]:
        # Those that the program has: of starts and of first turns.
        if "-then-" not in proof.name:
            files[f"proofs/{proof.name}"] = proof.read_bytes()
    for shell, name in SHELLS.items():
        files[f"completions/{name}"] = output(here, "completions", shell).encode() + b"\n"
    with tempfile.TemporaryDirectory() as pages:
        run(here, "man", pages)
        for page in Path(pages).iterdir():
            files[f"man/{page.name}"] = page.read_bytes()
    return files


def archives(targets):
    files = common()
    for target in targets or TARGETS:
        program = build(target)
        pack_for(target, "fanorona", files | {program.name: program.read_bytes()})


def libraries(targets):
    """All that `make install` writes. pkg-config finds it where it is unpacked."""
    # Rust brings tools that know all systems.
    rust = Path(output("rustc", "--print", "sysroot"), "lib")
    tools = {"LD": "gcc-ld/ld.lld", "OBJCOPY": "rust-objcopy"}
    tools = {name: next(rust.glob(f"rustlib/*/bin/{tool}")) for name, tool in tools.items()}
    for target in targets or LOADED:
        files = {name: (ROOT / name).read_bytes() for name in LICENCES}
        with tempfile.TemporaryDirectory() as root:
            made = {"DESTDIR": root, "PREFIX": "/prefix", "TRIPLE": added(target), "COMPILE": "cargo-zigbuild rustc"}
            variables = [f"{name}={value}" for name, value in (made | tools).items()]
            with_tools = environment(target) | {"LD_LIBRARY_PATH": str(rust)}
            run("make", "-C", "crates/capi", "install", *variables, env=with_tools)
            prefix = Path(root, "prefix")
            for path in prefix.rglob("*.*"):
                content = path.readlink() if path.is_symlink() else path.read_bytes()
                if path.suffix == ".pc":
                    content = content.replace(b"/prefix", b"${pcfiledir}/../..")
                files[path.relative_to(prefix).as_posix()] = content
        pack_for(target, "libfanorona", files)


def pack_for(target, what, files):
    name = f"{what}-{VERSION}-{target}"
    end = "zip" if "windows" in target else "tar.gz"
    pack(DIST / f"{name}.{end}", name, files)


def pack(path, top, files):
    """Writes an archive whose bytes depend on the files alone: bytes, or the path that a link has."""
    path.parent.mkdir(parents=True, exist_ok=True)
    names = sorted(files)
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name in names:
                entry = zipfile.ZipInfo(f"{top}/{name}", time.gmtime(epoch())[:6])
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, files[name])
    else:
        with open(path, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as compressed:
            with tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive:
                for name in names:
                    entry, content = tarfile.TarInfo(f"{top}/{name}"), files[name]
                    entry.mode, entry.mtime = 0o755 if name == "fanorona" else 0o644, epoch()
                    if isinstance(content, Path):
                        entry.type, entry.linkname, content = tarfile.SYMTYPE, str(content), b""
                    entry.size = len(content)
                    archive.addfile(entry, io.BytesIO(content))
    print(path)


def wheels(targets):
    package = ROOT / "crates/python/Cargo.toml"
    for target in targets or LOADED:
        added(target)
        system = {"musl": "musllinux_1_2", "gnu": "manylinux2014"}.get(target.rsplit("-", 1)[-1])
        options = ["--compatibility", system] if "linux" in target else []
        # With zig, maturin 1.16 exports a name that no module has.
        options += [] if "windows" in target else ["--zig"]
        build = ["maturin", "build", "--locked", "--release", "--target", target, *options]
        flags = ["-Ctarget-feature=-crt-static"] if "musl" in target else []
        run(*build, "-m", package, "-o", DIST, env=environment(target, *flags))
    run("maturin", "sdist", "-m", package, "-o", DIST)
    run("twine", "check", "--strict", *DIST.glob("*.whl"), *DIST.glob(f"fanorona-{VERSION}.tar.gz"))


def debian():
    """A package without dependencies, because the program has all that it needs."""
    places = {
        "completions/fanorona.bash": "share/bash-completion/completions/fanorona",
        "completions/_fanorona": "share/zsh/vendor-completions/_fanorona",
        "completions/fanorona.fish": "share/fish/vendor_completions.d/fanorona.fish",
        "LICENSE-MIT": "share/doc/fanorona/copyright",
    }
    files = {"usr/bin/fanorona": build(LINUX).read_bytes()}
    for name, content in common().items():
        if name.startswith("man/"):
            files[f"usr/share/man/man1/{Path(name).name}.gz"] = gzip.compress(content, mtime=0)
        elif name.startswith("proofs/"):
            files[f"usr/share/fanorona/{name}"] = content
        elif name in places:
            files[f"usr/{places[name]}"] = content
    control = {
        "Package": "fanorona",
        "Version": f"{VERSION}-1",
        "Architecture": "amd64",
        "Section": "games",
        "Priority": "optional",
        "Maintainer": "The Fanorona toolkit authors <https://github.com/fanorona/fanorona>",
        "Installed-Size": sum(map(len, files.values())) // 1024,
        "Description": "rules, endgame tables, proofs and an opponent for the board game Fanorona",
    }
    files["DEBIAN/control"] = "".join(f"{key}: {value}\n" for key, value in control.items()).encode()
    with tempfile.TemporaryDirectory() as root:
        os.chmod(root, 0o755)
        for name, content in files.items():
            path = Path(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(0o755 if name == "usr/bin/fanorona" else 0o644)
        for path in Path(root).rglob("*/"):
            path.chmod(0o755)
        package = DIST / f"fanorona_{VERSION}-1_amd64.deb"
        DIST.mkdir(parents=True, exist_ok=True)
        run("dpkg-deb", "--build", "--root-owner-group", root, package, env=environment(LINUX))


def data():
    """Proofs and counts, with the files needed to cite them."""
    listed = output("git", "ls-files", "data", *LICENCES, "CITATION.cff").splitlines()
    name = f"fanorona-data-{VERSION}"
    contents = {file: (ROOT / file).read_bytes() for file in listed if not file.startswith("data/notes/")}
    pack(DIST / f"{name}.tar.gz", name, contents)


def crates():
    """Cargo finds the order, and builds each crate with the packages of those before it."""
    run("cargo", "publish", "--workspace", "--locked", "--dry-run")


def sums():
    lines = []
    for path in sorted(DIST.iterdir()):
        if path.name != "SHA256SUMS":
            lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n")
    (DIST / "SHA256SUMS").write_text("".join(lines))
    print("".join(lines), end="")


def same(other):
    names = sorted({path.name for folder in (DIST, other) for path in folder.iterdir()})
    _, differ, missing = filecmp.cmpfiles(DIST, other, names, shallow=False)
    for name in differ + missing:
        print(f"{name} differs, or is in one of the directories only")
    sys.exit(bool(differ + missing))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for command in (archives, libraries, wheels):
        commands.add_parser(command.__name__).add_argument("targets", nargs="*", metavar="TARGET")
    for command in (debian, data, crates, sums):
        commands.add_parser(command.__name__)
    commands.add_parser("same").add_argument("other", type=Path, metavar="DIR")
    arguments = vars(parser.parse_args())
    globals()[arguments.pop("command")](**arguments)


if __name__ == "__main__":
    main()
