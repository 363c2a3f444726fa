"""The page's sources and its build, checked without a browser."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

SOURCES = Path(settings.BASE_DIR) / "frontend" / "src"
IMPORTED_STYLES = re.compile(r'import (\w+) from "([^"]+\.module\.css)"')
FIRST_STEP = ("index.html", "src/features/labeling/LabelingPage.tsx")  # requested before a step can be rated


def test_every_class_that_a_component_names_is_in_its_stylesheet() -> None:
    assert [missing for file in sorted(SOURCES.rglob("*.ts*")) for missing in _missing_classes(file)] == []


def test_the_first_step_of_a_label_needs_at_most_300_kb_before_fonts() -> None:
    manifest = Path(settings.FRONTEND_DIR) / ".vite" / "manifest.json"
    if not manifest.exists():
        pytest.skip("the page is not built: make frontend")
    chunks = json.loads(manifest.read_text())
    needed = set(FIRST_STEP)
    while more := {name for one in needed for name in chunks[one].get("imports", [])} - needed:
        needed |= more
    files = {chunks[one]["file"] for one in needed} | {css for one in needed for css in chunks[one].get("css", [])}
    sizes = {name: (manifest.parent.parent / f"{name}.gz").stat().st_size for name in files}
    assert any("katex" in name for name in sizes), "the labeling page no longer says what it imports"
    # Headers, the document and other requests add 15 kB: `python -m bench page` counts them.
    assert sum(sizes.values()) <= 285_000, sizes


def _missing_classes(file: Path) -> Iterator[str]:
    """Return the classes that a file uses from a stylesheet without them: their styling is missing."""
    source = file.read_text()
    for name, path in IMPORTED_STYLES.findall(source):
        styles = SOURCES / path[2:] if path.startswith("@/") else file.parent / path
        css = re.sub(r"/\*.*?\*/", "", styles.read_text(), flags=re.DOTALL)
        there = set(re.findall(r"\.([A-Za-z_][\w-]*)", css))
        used = re.findall(rf"\b{name}\.(\w+)", IMPORTED_STYLES.sub("", source))
        yield from sorted({f"{file.relative_to(SOURCES)}: {name}.{one}" for one in used if one not in there})
