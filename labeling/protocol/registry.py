"""The labeling protocols by the name stored in `Round.protocol`. A new protocol is a file and an entry here."""

from labeling.protocol.choose_step import CHOOSE_STEP
from labeling.protocol.every_step import EVERY_STEP
from labeling.protocol.first_error import FIRST_ERROR
from labeling.protocol.interface import LabelingProtocol

PROTOCOLS: dict[str, LabelingProtocol] = {
    protocol.name: protocol for protocol in (FIRST_ERROR, CHOOSE_STEP, EVERY_STEP)
}


def protocol_named(name: str) -> LabelingProtocol:
    """Return the protocol of that name. Raises LookupError, which lists the known names."""
    try:
        return PROTOCOLS[name]
    except KeyError:
        raise LookupError(
            f"There is no labeling protocol {name!r}. This version knows {', '.join(PROTOCOLS)};"
            " a round with another one was opened by a newer version."
        ) from None
