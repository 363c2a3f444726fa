"""The machine that a result was measured on, as the kernel describes it."""

import os
import platform
from pathlib import Path

LOAD_BEFORE = round(os.getloadavg()[0], 2)  # of the last minute, when this module was imported


def machine() -> dict[str, str | int | float]:
    """Cores, CPU, RAM in GiB, kernel, Python, and the load before the measurement began (others' work disturbs)."""
    cpu = next(
        (line.split(":", 1)[1].strip() for line in read("/proc/cpuinfo") if line.startswith("model name")), "unknown"
    )
    kilobytes = next((int(line.split()[1]) for line in read("/proc/meminfo") if line.startswith("MemTotal")), 0)
    return {
        "cores": os.cpu_count() or 0,
        "cpu": cpu,
        "ram_gib": round(kilobytes / 2**20, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_before": LOAD_BEFORE,
    }


def read(path: str) -> list[str]:
    """Lines of a file, none where the kernel has no such file."""
    file = Path(path)
    return file.read_text().splitlines() if file.exists() else []
