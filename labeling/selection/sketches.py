"""A few bytes per text that rule out near duplication for nearly every pair of texts.

A sketch has a bit per bucket into which shingles (runs of five words) are hashed: whether an odd number of the text's
distinct shingles fell there. XOR of two sketches is the sketch of the shingles that only one of the two texts has, and
so has no more bits than there are such shingles. This is the odd sketch of Mitzenmacher, Pagh and Pham, "Efficient
estimation for high similarities using odd sketches" (WWW 2014), used as a bound that always holds, not as an estimate.
"""

from collections.abc import Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np

SHINGLE = 5  # words in a shingle
BITS = 256
EVERY = (1 << BITS) - 1
BATCH = 1 << 12  # texts hashed together; at most TEXT + 1
TEXT = np.uint64(0xFFFF)  # the bits of a key that hold the text's place in the batch
# Odd numbers without a pattern: the fractions of the square roots of 2, 3, 5, 7, 11 and 13.
WEIGHTS = (0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1, 0x510E527FADE682D1)
MIX = np.uint64(0x9B05688C2B3E6C1F)


class Sketch(NamedTuple):
    """`most`: the most shingles the text can have, 0 if it has no words. `parities`: a bit per bucket."""

    most: int
    parities: int

    @property
    def slack(self) -> int:
        """The most shingles that only one of this text and a near duplicate can have.

        If Jaccard(A, B) >= 0.9, the shingles that only one has are at most a tenth of the union, and the union is at
        most a ninth larger than the intersection: they are at most min(|A|, |B|) / 9.
        """
        return self.most // 9


def read_sketch(stored: bytes) -> Sketch:
    """Read a sketch as `sketches_of` returns it."""
    number = int.from_bytes(stored, "big")
    return Sketch(number >> BITS, number & EVERY)


def may_be_near(one: Sketch, other: Sketch) -> bool:
    """Return False if these cannot be near duplicates, True if they may be."""
    return (one.parities ^ other.parities).bit_count() <= min(one.slack, other.slack)


def sketches_of(texts: Sequence[str]) -> list[bytes]:
    """Return the sketch of each text, in 36 bytes. Sketches are stored, so they must never change, on any machine."""
    found: list[bytes] = []
    for start in range(0, len(texts), BATCH):
        found += _sketch(texts[start : start + BATCH])
    return found


def _sketch(texts: Sequence[str]) -> list[bytes]:
    """Sketch a batch. Two shingles whose hashes collide count as one in every text, so the bound still holds."""
    split = [text.split() for text in texts]
    most = [max(1, len(words) - SHINGLE + 1) if words else 0 for words in split]
    keys = np.unique(_keys(split))
    places = (keys & TEXT) * np.uint64(BITS) + (keys >> np.uint64(56))
    odd = np.bincount(places.astype(np.int64), minlength=BITS * len(texts)) & 1
    parities = np.packbits(odd.astype(np.bool_)).tobytes()
    size = BITS // 8
    return [
        number.to_bytes(4, "big") + parities[place * size : (place + 1) * size] for place, number in enumerate(most)
    ]


def _keys(split: Sequence[Sequence[str]]) -> np.ndarray:
    """Return a number per shingle of each text: 48 bits of the shingle's hash, then the text's place in the batch."""
    words: list[str] = []
    for one in split:
        words += one
        words += [""] * (SHINGLE - len(one))  # a short text is one shingle
    lengths = np.array([max(SHINGLE, len(one)) for one in split])
    encoded = " ".join(words).encode("utf-8", "surrogatepass").split(b" ")
    hashes = np.fromiter(map(crc32, encoded), np.uint64, len(words))
    starts = len(hashes) - SHINGLE + 1
    shingles = np.zeros(starts, np.uint64)
    for place, weight in enumerate(WEIGHTS):
        shingles += hashes[place : place + starts] * np.uint64(weight)
    shingles ^= shingles >> np.uint64(32)
    shingles *= MIX
    # A shingle begins at each word of a text except the last four.
    ends = np.cumsum(lengths)
    inside = np.ones(ends[-1], np.bool_)
    for last in range(1, SHINGLE):
        inside[ends - last] = False
    of_text = np.repeat(np.arange(len(split), dtype=np.uint64), lengths)
    return (shingles[inside[:starts]] & ~TEXT) | of_text[inside]
