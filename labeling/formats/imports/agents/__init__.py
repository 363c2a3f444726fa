"""The recording formats of agents' runs. docs/agent-traces.md says what each contains and what it leaves out."""

from labeling.formats.imports.agents.action_logs import ACTION_LOG
from labeling.formats.imports.agents.atif import ATIF
from labeling.formats.imports.agents.chats import ANTHROPIC, OPENAI
from labeling.formats.imports.agents.inspect_logs import INSPECT
from labeling.formats.imports.agents.observed import LANGFUSE, LANGSMITH, OTEL
from labeling.formats.imports.agents.programs import PROGRAM
from labeling.formats.imports.agents.recorded import AGENT_PROCESS_BENCH, TRAIL, WHO_AND_WHEN
from labeling.formats.imports.agents.swe_agent import SWE_AGENT
from labeling.formats.imports.import_format import ImportFormat

RUN_FORMATS: tuple[ImportFormat, ...] = (
    *(OPENAI, ANTHROPIC, ATIF, SWE_AGENT, INSPECT, OTEL, LANGSMITH, LANGFUSE),
    *(AGENT_PROCESS_BENCH, WHO_AND_WHEN, TRAIL, ACTION_LOG, PROGRAM),
)
