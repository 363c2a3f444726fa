"""The machine on which a result was measured, as described by the kernel."""

import hashlib
import os
import platform
import time
from pathlib import Path

TIMES = 15


def fixed_work_ms() -> float:
    """Return the milliseconds of CPU time that a fixed piece of work takes now: the median over half a second.

    A rented core may be half as fast for hours, and nothing else shows it. Figures of two days are comparable if this
    value is about the same.
    """
    taken = []
    for _ in range(TIMES):
        since = time.process_time()
        counts: dict[str, int] = {}
        for number in range(60_000):
            key = f"{number * number % 1009}"
            counts[key] = counts.get(key, 0) + len(key)
        hashlib.sha256("".join(counts).encode() * 1_000).digest()
        taken.append(time.process_time() - since)
    return round(sorted(taken)[TIMES // 2] * 1_000, 1)


# At the import of this module: the load of the last minute, and the speed of the machine.
LOAD_BEFORE, FIXED_WORK_BEFORE = round(os.getloadavg()[0], 2), fixed_work_ms()


def machine() -> dict[str, str | int | float]:
    """Return cores, CPU, RAM in GiB, kernel, Python, the load before the measurement (other work disturbs it), and how
    long a fixed piece of work took before and after it.
    """
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
        "fixed_work_ms_before": FIXED_WORK_BEFORE,
        "fixed_work_ms_after": fixed_work_ms(),
    }


def read(path: str) -> list[str]:
    """Return the lines of a file, or none if the kernel has no such file."""
    file = Path(path)
    return file.read_text().splitlines() if file.exists() else []
