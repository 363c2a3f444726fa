"""Prompt templates for the models that write candidates: ours, by name, or a researcher's own text.

A template is plain text in which `{problem}` stands for the problem's text; every other brace is itself, as in LaTeX.
"""

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


class UnusablePrompt(ValueError):
    """The template does not say where the problem stands, or is too long. The text says what to do."""


def template_of(prompt: str) -> str:
    """The template of that name, or the text itself where no template has that name. Raises UnusablePrompt."""
    template = PROMPTS.get(prompt, prompt)
    if PROBLEM not in template:
        raise UnusablePrompt(f"Put {PROBLEM} where the problem's text stands, or name one of {', '.join(PROMPTS)}.")
    if len(template) > LONGEST_TEMPLATE:
        raise UnusablePrompt(f"A prompt has at most {LONGEST_TEMPLATE} characters.")
    return template


def write_prompt(prompt: str, problem: str) -> str:
    """The template with the problem in it; a problem that holds `{problem}` itself stays as it is."""
    return template_of(prompt).replace(PROBLEM, problem)
