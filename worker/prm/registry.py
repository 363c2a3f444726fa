"""Makes a scorer from a record of the registry. All families are listed here."""

import hashlib
import logging

import torch

from worker.prm.checkpoint import Checkpoint
from worker.prm.errors import SpecError
from worker.prm.families.generative_judge import GenerativeJudge
from worker.prm.families.implicit import Implicit
from worker.prm.families.math_shepherd import MathShepherd
from worker.prm.families.pooling_server import PoolingServer
from worker.prm.families.qwen_prm import QwenPrm
from worker.prm.families.reasoneval import ReasonEval
from worker.prm.families.rlhflow import Rlhflow
from worker.prm.families.skywork import Skywork
from worker.prm.families.stacked_head import StackedHead
from worker.prm.families.step_classifier import StepClassifier
from worker.prm.family import TokenFamily
from worker.prm.kernels import has_bfloat16
from worker.prm.scoring import LocalScorer, Scorer
from worker.prm.spec import PrmSpec

log = logging.getLogger(__name__)

LOCAL: dict[str, type[TokenFamily]] = {
    family.name: family
    for family in (StepClassifier, StackedHead, QwenPrm, MathShepherd, Rlhflow, Skywork, ReasonEval, Implicit)
}
SERVERS: dict[str, type[PoolingServer | GenerativeJudge]] = {
    family.name: family for family in (PoolingServer, GenerativeJudge)
}


def load_scorer(spec: PrmSpec, device: torch.device | None = None) -> Scorer:
    """Check everything that can be checked, then load. Raises SpecError, CheckpointError or ServerError."""
    if spec.family in SERVERS:
        if spec.url is None:
            raise SpecError(f"The family {spec.family} is a server: it needs a url.")
        return SERVERS[spec.family](spec)
    if spec.family not in LOCAL:
        raise SpecError(f"Unknown family {spec.family!r}. Known families: {', '.join([*LOCAL, *SERVERS])}.")
    if spec.path is None:
        raise SpecError(f"The family {spec.family} runs on this machine: it needs a path.")
    checkpoint = Checkpoint(spec.path)
    checksum = checkpoint.verify(spec.checksum)
    where = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if spec.dtype == "bfloat16" and where.type == "cpu" and not has_bfloat16():
        log.warning("this processor has no bfloat16 products: float32 is faster on it")
    family = LOCAL[spec.family](spec, checkpoint, where)
    fingerprint = hashlib.sha256(f"{spec.fingerprint()} {checksum}{family.facts}".encode()).hexdigest()
    return LocalScorer(family, fingerprint)
