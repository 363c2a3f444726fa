"""Which texts are the same name or address: those of the same letters, whatever the case of a to z."""

from django.db.models import F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Collate, Lower
from django.db.models.lookups import Exact


def spelled(column: str, text: str) -> Exact:
    """A condition of `filter`: the column holds this text, but for capitals from A to Z.

    `iexact` asks more kindly, and takes one person for another: PostgreSQL's capital of `ı` is `I`, of `ſ` it is `S`,
    and the small letter of the Kelvin sign is `k` (CVE-2019-19844 is the same fault). Nor is the text normalized:
    NFKC makes `s` of `ſ`. Two spellings of one name are then two names, which lets nobody in.
    """
    return Exact(_folded(F(column)), _folded(Value(text)))


def _folded(text: Combinable) -> Lower:
    return Lower(Collate(text, "C"))  # its order knows of A to Z alone
