"""All import formats. To add one, add a file here with its record, and its place in the list.

Detection, the command line, the API, the page's form and docs/formats.md follow the list, in its order. A file that
none of them recognises is read by a mapping (labeling.formats.imports.columns).
"""

from labeling.formats.imports import (
    formal_verdicts,
    fover,
    gsm8k_solutions,
    math_shepherd,
    neutral,
    openr,
    prm800k,
    prmbench,
    problems,
    processbench,
    qwen,
    reasoneval,
    rlhflow,
    trl_stepwise,
    versaprm,
    whole_responses,
)
from labeling.formats.imports.agents import RUN_FORMATS
from labeling.formats.imports.import_format import ImportFormat

MODULES = (
    *(neutral, prm800k, processbench),
    *(trl_stepwise, math_shepherd, rlhflow, qwen, openr, versaprm, fover, formal_verdicts),
    *(prmbench, reasoneval, gsm8k_solutions, whole_responses),
)
FORMATS: tuple[ImportFormat, ...] = (*(module.FORMAT for module in MODULES), *RUN_FORMATS, problems.FORMAT)
IMPORT_FORMATS = {format.name: format for format in FORMATS}
