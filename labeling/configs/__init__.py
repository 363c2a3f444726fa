"""Frozen values for what is requested of rounds and trainings (rows store them as JSON), the stages through which
workers carry a round, and the families of PRMs. Pure.
"""

from labeling.configs.after_error import AfterErrorConfig, ExplainingConfig, OwnKind
from labeling.configs.prm_families import FAMILIES, AskedPrm, PrmFamily
from labeling.configs.reading import ConfigFault
from labeling.configs.rounds import (
    DRAWN,
    PROBLEMS,
    RULES,
    STAGED,
    ByMachine,
    GenerateConfig,
    GraderSettings,
    Inputs,
    NextStepConfig,
    PathConfig,
    PlainConfig,
    RoundConfig,
    ScorerRef,
    ShownMarks,
    StagedConfig,
    TraceFilter,
    read_round_config,
)
from labeling.configs.sources import (
    ConsensusConfig,
    JudgeConfig,
    RolloutsConfig,
    SamplingConfig,
    SourceConfig,
    VerifierConfig,
)
from labeling.configs.training import LabelAuditConfig, TrainerOptions, TrainingConfig

__all__ = [
    "DRAWN",
    "FAMILIES",
    "PROBLEMS",
    "RULES",
    "STAGED",
    "AfterErrorConfig",
    "AskedPrm",
    "ByMachine",
    "ConfigFault",
    "ConsensusConfig",
    "ExplainingConfig",
    "GenerateConfig",
    "GraderSettings",
    "Inputs",
    "JudgeConfig",
    "LabelAuditConfig",
    "NextStepConfig",
    "OwnKind",
    "PathConfig",
    "PlainConfig",
    "PrmFamily",
    "RolloutsConfig",
    "RoundConfig",
    "SamplingConfig",
    "ScorerRef",
    "ShownMarks",
    "SourceConfig",
    "StagedConfig",
    "TraceFilter",
    "TrainerOptions",
    "TrainingConfig",
    "VerifierConfig",
    "read_round_config",
]
