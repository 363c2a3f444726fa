"""The ids of labelers in a project's files: no two labelers share one."""

import re
from collections.abc import Iterable
from functools import cached_property

from labeling.formats.labeler_ids import SALTED_ID, salted_labeler_id
from labeling.models import Membership, Project, User


class LabelerIds:
    """The ids of one project's labelers: people have salted ids, imported labelers the ids in their file.

    A file may contain any name. An imported labeler whose name is the salted id of a member gets a salted id, too, so
    that nobody's work is taken for another's. Imported labelers are members.
    """

    def __init__(self, project: Project) -> None:
        """Read nothing until an imported name looks like a salted id."""
        self.project = project

    @cached_property
    def _salted(self) -> dict[str, int]:
        """All members by their salted ids."""
        members = Membership.objects.filter(project=self.project).values_list("user_id", flat=True)
        return {salted_labeler_id(self.project.export_salt, pk): pk for pk in members}

    def members_called(self, names: Iterable[str]) -> dict[str, int]:
        """Return the members whose salted ids are among the names."""
        asked = [name for name in names if re.fullmatch(SALTED_ID, name)]
        return {name: self._salted[name] for name in asked if name in self._salted}

    def of(self, kind: str, external_id: str, user_id: int) -> str:
        """Return the id of one labeler from their values in the table of users."""
        if kind == User.Kind.IMPORTED and not self._is_taken(external_id):
            return external_id
        return salted_labeler_id(self.project.export_salt, user_id)

    def _is_taken(self, external_id: str) -> bool:
        name = external_id.lower()  # programs that parse it as a UUID ignore case
        return re.fullmatch(SALTED_ID, name) is not None and name in self._salted

    def of_person(self, person: User) -> str:
        """Return the id of a labeler."""
        return self.of(person.kind, person.external_id, person.pk)

    def by_key(self, people: Iterable[int]) -> dict[int, str]:
        """Return the ids of labelers by their primary keys. One query."""
        return {person.pk: self.of_person(person) for person in User.objects.filter(pk__in=list(people))}
