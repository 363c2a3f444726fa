"""The page's layers hold: `ui`, `api` -> `protocol` -> `features` -> `app`, and no circular imports.

Each zone of frontend/biome.json really fails when it is broken.
"""

import json
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parent.parent.parent / "frontend"
BIOME = FRONTEND / "node_modules" / "@biomejs"
ZONE, CIRCLE = "lint/style/noRestrictedImports", "lint/suspicious/noImportCycles"
MAY_IMPORT = {
    "ui": {"ui"},
    "api": {"api"},
    "protocol": {"ui", "api", "protocol"},
    "features": {"ui", "api", "protocol"},
    "app": {"ui", "api", "protocol", "features", "app"},
}
CASES = [(here, there) for here in MAY_IMPORT for there in MAY_IMPORT if here != there]


def check(folder: Path, files: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Biome, with the page's own zones, over these files of a page."""
    rules = json.loads((FRONTEND / "biome.json").read_text())
    rules["files"] = {"includes": ["src/**"]}
    (folder / "biome.json").write_text(json.dumps(rules))
    for name, text in files.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "tsconfig.json").write_text('{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}')
    [binary] = BIOME.glob("cli-*/biome")
    command = [binary, "lint", "--colors=off", "--vcs-enabled=false", "src"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(("here", "there"), CASES)
def test_a_floor_imports_what_stands_below_it_and_nothing_above(tmp_path: Path, here: str, there: str) -> None:
    files = {
        f"{here}/one/here.ts": f'import {{ there }} from "@/{there}/other/there";\nexport const here = there;\n',
        f"{there}/other/there.ts": "export const there = 1;\n",
    }
    checked = check(tmp_path, files)
    allowed = there in MAY_IMPORT[here]
    assert (ZONE in checked.stderr) is not allowed, checked.stderr
    assert (checked.returncode == 0) is allowed


def test_a_feature_imports_itself_and_no_other_feature(tmp_path: Path) -> None:
    files = {
        "features/one/own.ts": "export const own = 1;\n",
        "features/one/here.ts": 'import { own } from "./own";\nexport const here = own;\n',
    }
    assert check(tmp_path, files).returncode == 0
    for way in ("@/features/one/own", "../one/own"):
        files["features/two/there.ts"] = f'import {{ own }} from "{way}";\nexport const there = own;\n'
        assert ZONE in check(tmp_path, files).stderr


@pytest.mark.parametrize("kind", ["", "type "])
def test_files_that_import_each_other_are_refused_even_for_types(tmp_path: Path, kind: str) -> None:
    files = {
        "ui/one.ts": f'import {kind}{{ Two }} from "./two";\nexport class One {{ two: Two | null = null; }}\n',
        "ui/two.ts": f'import {kind}{{ One }} from "./one";\nexport class Two {{ one: One | null = null; }}\n',
    }
    checked = check(tmp_path, files)
    assert CIRCLE in checked.stderr
    assert checked.returncode == 1
