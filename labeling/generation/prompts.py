"""Prompt templates for the models that write candidates: a built-in one by name, or a researcher's own text.

A template is plain text in which `{problem}` stands for the problem's text; all other braces are literal, as in LaTeX.
"""

import re
from collections.abc import Mapping, Sequence

PROBLEM = "{problem}"
LONGEST_TEMPLATE = 20_000  # characters

PROMPTS = {
    "steps": (
        "Solve the problem below. Write one step of your reasoning per paragraph, with a blank line between two steps. "
        "End with the final answer in \\boxed{}.\n\n{problem}"
    ),
    "numbered": (
        "Solve the problem below step by step. Begin each step on a new line with its number: 1., 2., 3. "
        "In the last step put the final answer in \\boxed{}.\n\n{problem}"
    ),
    "grade_school": (
        "Solve the problem below. Write one short step of the calculation per line. "
        "On the last line write #### and the number that is the answer.\n\n{problem}"
    ),
    "options": (
        "Answer the question below. Write one step of your reasoning per paragraph, with a blank line between two "
        "steps. End with: The answer is (X), where X is the letter of the right option.\n\n{problem}"
    ),
    "problem": "{problem}",
}


STEPS = "{steps}"
MARK = re.compile(f"{re.escape(PROBLEM)}|{re.escape(STEPS)}")
# For the next step of a path; these templates also have `{steps}`, the path so far, empty at its beginning.
NEXT_STEP_PROMPTS = {
    "next_step": (
        "Below are a problem and the beginning of its solution, one step per paragraph. Write the next step and nothing"
        " else: one short paragraph with one idea or one small calculation. Do not repeat a step. If your step finishes"
        " the solution, write after it a blank line, # Answer, a blank line, and the final answer.\n\n"
        "# Problem\n\n{problem}\n\n# Solution\n\n{steps}"
    ),
}


# For rollouts: how a completer continues from a prefix to the end.
COMPLETION_PROMPTS = {
    "go_on": (
        "Below are a problem and the beginning of its solution, one step per paragraph; it may be empty. Go on from "
        "there to the end, one step per paragraph with a blank line between two steps. Do not repeat what is there. End"
        " with the final answer in \\boxed{}.\n\n# Problem\n\n{problem}\n\n# Solution\n\n{steps}"
    ),
}


class UnusablePrompt(ValueError):
    """The template does not say where the problem goes, or is too long. The message says what to do."""


def template_of(prompt: str) -> str:
    """Return the template of that name, or the text itself if no template has that name. Raises UnusablePrompt."""
    template = PROMPTS.get(prompt, prompt)
    if PROBLEM not in template:
        raise UnusablePrompt(f"Put {PROBLEM} where the problem's text belongs, or name one of {', '.join(PROMPTS)}.")
    if len(template) > LONGEST_TEMPLATE:
        raise UnusablePrompt(f"A prompt has at most {LONGEST_TEMPLATE} characters.")
    return template


def write_prompt(prompt: str, problem: str) -> str:
    """Put the problem into the template; a problem that itself contains `{problem}` stays unchanged."""
    return template_of(prompt).replace(PROBLEM, problem)


def next_step_template_of(prompt: str) -> str:
    """Do the same as `template_of` for the prompts for the next step of a path. Raises UnusablePrompt."""
    return _from_a_prefix(prompt, NEXT_STEP_PROMPTS)


def completion_template_of(prompt: str) -> str:
    """Do the same as `template_of` for the prompts for rollouts. Raises UnusablePrompt."""
    return _from_a_prefix(prompt, COMPLETION_PROMPTS)


def _from_a_prefix(prompt: str, ours: Mapping[str, str]) -> str:
    template = ours.get(prompt, prompt)
    if PROBLEM not in template or STEPS not in template:
        known = ", ".join(ours)
        raise UnusablePrompt(f"Put {PROBLEM} and {STEPS} where they belong, or name one of {known}.")
    if len(template) > LONGEST_TEMPLATE:
        raise UnusablePrompt(f"A prompt has at most {LONGEST_TEMPLATE} characters.")
    return template


def write_next_step_prompt(prompt: str, problem: str, steps: Sequence[str]) -> str:
    """Put problem and path into the template; neither is searched for the other's placeholder."""
    return _with_steps(next_step_template_of(prompt), problem, steps)


def write_completion_prompt(prompt: str, problem: str, steps: Sequence[str]) -> str:
    """Do the same as `write_next_step_prompt` for rollouts."""
    return _with_steps(completion_template_of(prompt), problem, steps)


def _with_steps(template: str, problem: str, steps: Sequence[str]) -> str:
    texts = {PROBLEM: problem, STEPS: "\n\n".join(steps)}
    return MARK.sub(lambda mark: texts[mark.group()], template)
