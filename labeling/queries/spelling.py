"""Equality of names and addresses: the same letters, ignoring the case of a to z. Also finds names that look like
another person's, so that nobody new is given one.
"""

from django.db.models import F, Func, Q, QuerySet, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Collate, Lower
from django.db.models.lookups import Exact, StartsWith

from labeling.formats.user_names import LIKE, LOOKS, skeleton
from labeling.models import User


def spelled(column: str, text: str) -> Exact:
    """Return a condition for `filter`: the column holds this text, ignoring only the case of A to Z.

    `iexact` is more lenient and can take one person for another: PostgreSQL's upper case of `ı` is `I`, that of `ſ` is
    `S`, and the lower case of the Kelvin sign is `k` (CVE-2019-19844 is the same fault). Nor is the text normalised:
    NFKC turns `ſ` into `s`. Two spellings of one name then remain two names, which lets nobody in.
    """
    return Exact(_folded(F(column)), _folded(Value(text)))


def _folded(text: Combinable) -> Lower:
    return Lower(Collate(text, "C"))  # this collation folds only A to Z


def has_name(people: QuerySet[User], name: str) -> bool:
    """Return whether one of these people has this user name, ignoring case."""
    return people.filter(username__iexact=name).exists()


def has_look_alike(people: QuerySet[User], name: str) -> bool:
    """Return whether one of these people has a user name that looks the same, even with other letters."""
    return people.filter(Exact(_seen("username"), Value(skeleton(name)))).exists()


def names_that_begin_like(name: str) -> list[str]:
    """Return all user names that start with this one or with a look-alike of it."""
    alike = Q(StartsWith(_seen("username"), Value(skeleton(name)))) | Q(username__istartswith=name)
    return list(User.objects.filter(alike).values_list("username", flat=True))


def _seen(column: str) -> Lower:
    """Compute in PostgreSQL what `skeleton` computes in Python."""
    folded = Func(F(column), template="normalize(%(expressions)s, NFKC)")
    return _folded(Func(folded, Value(LOOKS), Value(LIKE), function="translate"))
