"""Shapes of signing in: second factors, passkeys, forgotten passwords, and the browsers a person is logged in with."""

import re

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.models import LoggedIn, SecondFactor

# A browser's user agent names all browsers it resembles. The first of these names that it contains is the right one.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
MACHINES = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS": "macOS"} | {
    "Linux": "Linux"
}


class BrowserOut(Shape):
    """A browser in which the person is logged in."""

    id = serializers.IntegerField()
    how = serializers.ChoiceField(LoggedIn.How.values)
    browser = serializers.CharField(help_text="Such as Firefox on Linux; empty if the browser does not say.")
    address = serializers.CharField(allow_null=True)
    began_at = serializers.DateTimeField()
    is_this = serializers.BooleanField(help_text="The browser that sent this request.")

    def browser_of(self, row: LoggedIn) -> str:
        """The browser and its system."""
        return browser_words(row.browser)


def browser_words(agent: str) -> str:
    """`Firefox on Linux`, or as much of it as is known."""
    kind = next((said for mark, said in BROWSERS.items() if re.search(rf"{mark}\w*/", agent)), "")
    machine = next((said for mark, said in MACHINES.items() if mark in agent), "")
    return f"{kind} on {machine}" if kind and machine else kind or machine


class EndedOut(serializers.Serializer):
    """The number of browsers in which the person was logged out."""

    ended = serializers.IntegerField()


class SecondFactorOut(serializers.Serializer):
    """A code app or passkey of the person."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(SecondFactor.Kind.values)
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class SecondFactorsOut(serializers.Serializer):
    """The person's second factors."""

    factors = SecondFactorOut(many=True)
    recovery_codes_left = serializers.IntegerField()
    passkeys = serializers.BooleanField(help_text="Whether passkeys can be created here.")
    password = serializers.BooleanField(help_text="Whether the person has a password at all.")


class CodeAppOut(serializers.Serializer):
    """The secret for the code app, shown only once."""

    secret = serializers.CharField()
    uri = serializers.CharField()
    picture = serializers.CharField(help_text="A QR code of `uri`, as a `data:` URL.")


class CodeIn(serializers.Serializer):
    """The code that the app shows now."""

    code = serializers.CharField(max_length=20)


class RecoveryCodesOut(serializers.Serializer):
    """New recovery codes, shown only once; empty if the person already has some."""

    recovery_codes = serializers.ListField(child=serializers.CharField())


class PasskeyOptionsOut(serializers.Serializer):
    """The options for `navigator.credentials`, in the JSON of WebAuthn."""

    public_key = serializers.DictField()


class PasskeyIn(serializers.Serializer):
    """The answer of the browser's passkey, in the JSON of WebAuthn."""

    credential = serializers.DictField()


class NewPasskeyIn(PasskeyIn):
    """The passkey that the browser made, and the person's name for it."""

    name = OneLine(max_length=80)


class CheckIn(serializers.Serializer):
    """The password exactly as typed, and the second factor's code if there is one."""

    password = serializers.CharField(max_length=1000, trim_whitespace=False)
    code = serializers.CharField(max_length=40, allow_blank=True, default="")


class ForgotPasswordIn(serializers.Serializer):
    """Whose password: the user name or the mail address."""

    name = serializers.CharField(max_length=254)


class NewPasswordIn(serializers.Serializer):
    """The contents of the link, and the new password exactly as typed."""

    person = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    token = serializers.CharField(max_length=100)
    new_password = serializers.CharField(max_length=1000, trim_whitespace=False)
