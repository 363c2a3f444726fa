"""What people ask of rounds and trainings, as frozen values that rows keep as JSON, and the stages that workers carry a
round through. Pure.
"""

from labeling.configs.reading import ConfigFault
from labeling.configs.rounds import (
    RULES,
    STAGED,
    GenerateConfig,
    GraderSettings,
    Inputs,
    PlainConfig,
    RoundConfig,
    ScorerRef,
    StagedConfig,
    TraceFilter,
    read_round_config,
)
from labeling.configs.training import LabelAuditConfig, TrainerOptions, TrainingConfig

__all__ = [
    "RULES",
    "STAGED",
    "ConfigFault",
    "GenerateConfig",
    "GraderSettings",
    "Inputs",
    "LabelAuditConfig",
    "PlainConfig",
    "RoundConfig",
    "ScorerRef",
    "StagedConfig",
    "TraceFilter",
    "TrainerOptions",
    "TrainingConfig",
    "read_round_config",
]
