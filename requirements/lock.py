"""`make lock`: resolve requirements/*.in together and write the lock files, with the hashes of each package's files.

The first argument is the uv to resolve with. Further arguments are passed to uv (`--upgrade`: the newest versions
allowed). Locked versions that still fit are kept.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADER = (
    "# Written by `make lock` from {name}.in: every package, its version and the hashes of its files. Do not edit.\n"
)
# Each file is installed on top of others, and does not repeat them.
ON_TOP_OF = {
    "base": [],
    "local": ["base"],
    "frontend": [],
    "dev": ["base", "local", "frontend"],
    "worker": ["base"],
    "demo": ["base", "local", "worker"],
    "trainers": ["base", "local", "frontend", "dev", "worker"],
}
# `worker` becomes three files, because torch has two builds: PyPI's build needs the CUDA libraries (cuda.txt).
CUDA = re.compile("torch$|nvidia-|cuda-|triton$")
ENTRY = re.compile(r"^([A-Za-z0-9][\w.-]*)==(\S+).*\n(?:[ \t]+.*\n)*", re.MULTILINE)

Entries = dict[str, str]


def resolve(uv: str, inputs: list[Path], output: Path, options: tuple[str, ...]) -> Entries:
    """Return each package that `inputs` need on any platform and supported Python, with its lines for a lock file.

    Versions already in `output` are kept if they fit.
    """
    command = [uv, "pip", "compile", "--quiet", "--universal", "--python-version", "3.11", "--generate-hashes"]
    command += ["--no-annotate", "--no-header", "--no-config", "--excludes", str(HERE / "excluded.txt")]
    subprocess.run([*command, *options, "--output-file", output, *inputs], check=True)
    return {re.sub(r"[-_.]+", "-", found[1]).lower(): found[0] for found in ENTRY.finditer(output.read_text())}


def cpu_build(version: str) -> Entries:
    """Return torch without CUDA: the same release, with only the hashes of those files, so that pip refuses PyPI's
    build.

    Raises: SystemExit if torch-cpu.sha256 has no file of this version.
    """
    files = [line.split() for line in (HERE / "torch-cpu.sha256").read_text().splitlines() if line[0] != "#"]
    digests = [digest for digest, name in files if name.startswith(f"torch-{version}+cpu-")]
    if not digests:
        sys.exit(f"torch-cpu.sha256 has no file of torch {version}: add them from PyTorch's own index of CPU builds.")
    return {"torch": " \\\n    --hash=sha256:".join([f"torch=={version}", *digests]) + "\n"}


def write(name: str, source: str, packages: Entries) -> None:
    """Write one lock file."""
    (HERE / f"{name}.txt").write_text(HEADER.format(name=source) + "".join(packages.values()))


def main(uv: str, *options: str) -> None:
    """Resolve everything at once, then each file within that result: a package has one version in all of them."""
    with tempfile.TemporaryDirectory() as folder:
        everything, one, tools = (Path(folder, name) for name in ("everything.txt", "one.txt", "tools.txt"))
        everything.write_text("".join((HERE / f"{name}.txt").read_text() for name in (*ON_TOP_OF, "cuda")))
        resolve(uv, [HERE / f"{name}.in" for name in ON_TOP_OF], everything, options)
        locked: dict[str, Entries] = {}
        for name, below in ON_TOP_OF.items():
            one.unlink(missing_ok=True)
            found = resolve(uv, [HERE / f"{name}.in"], one, ("--constraints", str(everything)))
            known = {package for other in below for package in locked[other]}
            locked[name] = {package: lines for package, lines in found.items() if package not in known}
        for name in ("sbom", "helm", "inspect"):  # tools that are installed separately
            kept = HERE / f"{name}.txt"
            tools.write_text(kept.read_text() if kept.exists() else "")
            write(name, name, resolve(uv, [HERE / f"{name}.in"], tools, options))
    scoring = locked.pop("worker")
    for name, packages in locked.items():
        write(name, name, packages)
    write("worker", "worker", {package: lines for package, lines in scoring.items() if not CUDA.match(package)})
    write("cuda", "worker", {package: lines for package, lines in scoring.items() if CUDA.match(package)})
    write("torch", "torch", cpu_build(scoring["torch"].split("==")[1].split()[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
