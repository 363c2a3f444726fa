"""Equality of names and addresses: the same letters, ignoring the case of a to z."""

from django.db.models import F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Collate, Lower
from django.db.models.lookups import Exact


def spelled(column: str, text: str) -> Exact:
    """Return a condition for `filter`: the column holds this text, ignoring only the case of A to Z.

    `iexact` is more lenient and can take one person for another: PostgreSQL's upper case of `ı` is `I`, that of `ſ` is
    `S`, and the lower case of the Kelvin sign is `k` (CVE-2019-19844 is the same fault). Nor is the text normalised:
    NFKC turns `ſ` into `s`. Two spellings of one name then remain two names, which lets nobody in.
    """
    return Exact(_folded(F(column)), _folded(Value(text)))


def _folded(text: Combinable) -> Lower:
    return Lower(Collate(text, "C"))  # this collation folds only A to Z
