"""The clock's schedule, which stands in the settings alone."""

from celery.beat import Scheduler


class InMemory(Scheduler):
    """Keeps nothing on disk, so the clock goes on where the disk is full; started anew, it begins to count anew."""

    def setup_schedule(self) -> None:
        """Take what the settings say."""
        self.merge_inplace(self.app.conf.beat_schedule)
        self.install_default_entries(self.schedule)
