"""A checkpoint's tokenizer and chat template, read from data files only (tokenizer.json, tokenizer_config.json)."""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jinja2 import TemplateError
from tokenizers import Tokenizer
from transformers.utils.chat_template_utils import render_jinja_template

from worker.prm.checkpoint import read_json
from worker.prm.errors import CheckpointError

Message = dict[str, str]
STEPS_KEPT = 50_000


class Rendered(NamedTuple):
    """A trace as token ids. positions[k] is where the model's opinion on step k is read; `begins` is where steps begin;
    `checks` are a family's numbers for each step that are computed from the text and not by the model.
    """

    ids: list[int]
    positions: list[int]
    begins: int
    checks: Sequence[Sequence[float]] = ()


class LostPositionError(ValueError):
    """The tokenizer merged or dropped the text whose token carries a step's score: this trace cannot be scored."""


class Text:
    """Converts text to ids. Special tokens are only added where a family says so: a chat template has its own."""

    def __init__(self, folder: Path) -> None:
        file = folder / "tokenizer.json"
        if not file.is_file():
            raise CheckpointError(
                f"tokenizer.json is missing from {folder}. "
                "`AutoTokenizer.from_pretrained(...).save_pretrained(folder)` writes it from tokenizer.model or vocab "
                "files."
            )
        self._tokenizer = Tokenizer.from_file(str(file))
        # A file saved after training may truncate or pad: both silently move or lose steps.
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._config = (
            read_json(folder / "tokenizer_config.json") if (folder / "tokenizer_config.json").exists() else {}
        )
        self._chat_template = read_chat_template(folder, self._config)
        self.ids = lru_cache(STEPS_KEPT)(self._ids)

    def _ids(self, text: str) -> tuple[int, ...]:
        """Return `ids`: the tokens of a text without special tokens. Steps recur among samples, so they are cached."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def marked(self, text: str, marks: Sequence[int], begins: int = 0) -> Rendered:
        """Return the tokens of a whole text, and those with each marked character (and with the one where the steps
        begin).

        Tokenized in one piece, as models trained that way need it, without searching for anything later.
        """
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        starts = np.array([start for start, _stop in encoding.offsets])
        stops = np.array([stop for _start, stop in encoding.offsets])
        holders = np.searchsorted(starts, np.asarray([*marks, begins]), side="right") - 1
        if (holders < 0).any() or (stops[holders[:-1]] <= np.asarray(marks)).any():
            raise LostPositionError("the tokenizer dropped the text at the end of a step")
        return Rendered(encoding.ids, holders[:-1].tolist(), int(holders[-1]))

    def token(self, text: str) -> int:
        """Return the id of a text that must be a single token. Raises CheckpointError."""
        found = self._tokenizer.token_to_id(text)
        if found is None:
            raise CheckpointError(f"The tokenizer has no token {text!r}, which this family needs.")
        return int(found)

    def vocabulary(self) -> dict[str, int]:
        """Return the ids of all tokens, as the tokenizer writes them."""
        return dict(self._tokenizer.get_vocab())

    def same_tokens(self, other: "Text") -> bool:
        """Return whether two tokenizers give every piece of text the same id."""
        return bool(self._tokenizer.get_vocab() == other._tokenizer.get_vocab())

    def special(self, name: str) -> str | None:
        """Return the text of bos_token, pad_token, ... from tokenizer_config.json."""
        value = self._config.get(name)
        text = value.get("content") if isinstance(value, dict) else value
        return text if isinstance(text, str) else None

    def bos(self) -> tuple[int, ...]:
        """Return the id that begins every text, or nothing for tokenizers without one."""
        text = self.special("bos_token")
        return () if text is None else (self.token(text),)

    def chat(self, messages: list[Message], answering: bool) -> str:
        """Return messages in the checkpoint's chat template; `answering` adds the opening of the assistant's turn."""
        if self._chat_template is None:
            raise CheckpointError(
                "The checkpoint has no chat template (chat_template.jinja, or chat_template in tokenizer_config.json), "
                "and its family needs one. Copy it from the model it was trained from."
            )
        names = ("bos_token", "eos_token", "pad_token", "unk_token")
        special: dict[str, Any] = {name: self.special(name) or "" for name in names}
        try:
            rendered: Any = render_jinja_template(
                [messages], chat_template=self._chat_template, add_generation_prompt=answering, **special
            )
        except TemplateError as error:
            raise CheckpointError(f"The checkpoint's chat template fails: {error}.") from error
        return str(rendered[0][0])

    def opening(self, messages: list[Message]) -> str:
        """Return the chat up to the assistant's text, which is appended unchanged. Raises CheckpointError."""
        opened = self.chat(messages, answering=True)
        if not self.chat([*messages, {"role": "assistant", "content": "x"}], answering=False).startswith(opened + "x"):
            raise CheckpointError(
                "The checkpoint's chat template does not put the expected opening before the assistant's text."
            )
        return opened


def read_chat_template(folder: Path, config: dict[str, Any]) -> str | None:
    """Return the template: the file takes precedence over the field; of several named ones, the default."""
    file = folder / "chat_template.jinja"
    if file.exists():
        return file.read_text(encoding="utf-8")
    template = config.get("chat_template")
    if isinstance(template, list):
        template = {one["name"]: one["template"] for one in template}.get("default")
    return template
