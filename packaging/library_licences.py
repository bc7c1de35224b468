#!/usr/bin/env python3
"""Copies the licences of what a wheel takes along from other projects.

usage: library_licences.py FOLDER FILE... [--headers HEADER...]

FILE is a program or a module of the wheel. For each shared library that it loads, FOLDER gets LICENCE-LIBRARY.txt.
HEADER is a header that is compiled into them. For its package, FOLDER gets LICENCE-PACKAGE.txt. The text is the
copyright file of the Debian package.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from needs.packages import owners_of

# Libraries that the manylinux policy takes for granted. A wheel does not take them along.
EVERYWHERE = re.compile(r"(ld-linux-.*|lib(c|m|dl|rt|pthread|gcc_s|stdc[+][+]|z|expat)[.]so[.].*)")


def libraries_of(files: list[str]) -> set[str]:
    """The paths of the libraries that the files load."""
    told = subprocess.run(["ldd", *files], capture_output=True, text=True, check=True).stdout
    loaded = re.findall(r"^\s*(\S+) => (/\S+)", told, re.MULTILINE)
    return {os.path.realpath(path) for name, path in loaded if not EVERYWHERE.fullmatch(name)}


def licence_of(library: str, packages: set[str]) -> Path:
    candidates = [Path("/usr/share/doc") / package.split(":")[0] / "copyright" for package in sorted(packages)]
    found = next((path for path in candidates if path.is_file()), None)
    if found is None:
        sys.exit(f"{library} is to go into the wheel, but its licence is on no package's record "
                 f"({', '.join(sorted(packages)) or 'no package'}). Install the library from a Debian package")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--headers", nargs="+", default=[], metavar="HEADER")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for library, packages in owners_of(libraries_of(options.files)).items():
        shutil.copyfile(licence_of(library, packages), options.folder / f"LICENCE-{Path(library).name}.txt")
    for header, packages in owners_of(options.headers).items():
        licence = licence_of(header, packages)
        shutil.copyfile(licence, options.folder / f"LICENCE-{licence.parent.name}.txt")
    return 0


if __name__ == "__main__":
    sys.exit(main())
