"""Why a new user name is refused, in a sentence with what to do."""

from typing import NamedTuple

from labeling.formats.user_names import USER_NAME, mixed_scripts
from labeling.models import User
from labeling.queries.spelling import has_look_alike, has_name

TAKEN = "This user name is taken. Choose another."
LOOKS_TAKEN = "This user name looks like another person's. Choose one that nobody can mistake for it."
MIXED = (
    "“{part}” mixes {first} and {second} letters, which look alike. Type it in one script, or put a dot or a hyphen"
    " between the two."
)
NOT_A_NAME = "A user name has 1 to 150 letters, digits and . _ - + @. Choose another."


class NameFault(NamedTuple):
    """Why a name is refused. `taken`: a person already has the name, or one that looks the same."""

    sentence: str
    taken: bool = False


def fault_of_new_name(name: str, *, but: User | None = None) -> NameFault | None:
    """Return why this user name cannot be given to anyone, or None. `but`: the person being renamed.

    People who already have such a name keep it.
    """
    people = User.objects.exclude(pk=but.pk) if but else User.objects.all()
    if not USER_NAME.fullmatch(name):
        return NameFault(NOT_A_NAME)
    if has_name(people, name):
        return NameFault(TAKEN, taken=True)
    if has_look_alike(people, name):
        return NameFault(LOOKS_TAKEN, taken=True)
    mixed = mixed_scripts(name)
    return NameFault(MIXED.format(part=mixed.part, first=mixed.scripts[0], second=mixed.scripts[1])) if mixed else None
