"""All formats that labels can be exported in. To add one, write a file here with its record and add it to the list.

The command line, the API, the page's form, the manifest and docs/formats.md follow the list. The first format is the
default.
"""

from labeling.formats.exports import (
    advantages,
    critiques,
    math_shepherd,
    neutral,
    pairs,
    prm800k,
    processbench,
    qwen,
    reached,
    rewards,
    rlhflow,
    run_chats,
    trl_stepwise,
)
from labeling.formats.exports.export_format import ExportFormat
from labeling.formats.exports.home import HOME

ALL = (
    prm800k.FORMAT,
    neutral.FORMAT,
    trl_stepwise.FORMAT,
    math_shepherd.FORMAT,
    rlhflow.FORMAT,
    qwen.FORMAT,
    qwen.SOFT,
    processbench.FORMAT,
    pairs.STEP_PAIRS,
    pairs.TRACE_PAIRS,
    pairs.OUTCOME,
    rewards.FORMAT,
    advantages.FORMAT,
    reached.MC_SHEPHERD,
    reached.MC_QWEN,
    critiques.CRITIQUES,
    critiques.CHAINS,
    run_chats.PROCESS,
    run_chats.OUTCOME,
    run_chats.CLAUSES,
    *HOME,
)
EXPORT_FORMATS: dict[str, ExportFormat] = {format.name: format for format in ALL}
