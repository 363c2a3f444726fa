"""Shapes of getting in: second factors, passkeys, forgotten passwords, the browsers a person is logged in with."""

import re

from rest_framework import serializers

from labeling.api.answers import Shape
from labeling.api.one_line import OneLine
from labeling.models import LoggedIn, SecondFactor

# What a browser calls itself holds the names of all whom it resembles; the first of these that is there is it.
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
MACHINES = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac OS": "macOS"} | {
    "Linux": "Linux"
}


class BrowserOut(Shape):
    """A browser in which the person is logged in."""

    id = serializers.IntegerField()
    how = serializers.ChoiceField(LoggedIn.How.values)
    browser = serializers.CharField(help_text="Firefox on Linux; empty where it does not say.")
    address = serializers.CharField(allow_null=True)
    began_at = serializers.DateTimeField()
    is_this = serializers.BooleanField(help_text="The one that asks.")

    def browser_of(self, row: LoggedIn) -> str:
        """In two words."""
        return browser_words(row.browser)


def browser_words(agent: str) -> str:
    """`Firefox on Linux`, or what of it can be told."""
    kind = next((said for mark, said in BROWSERS.items() if re.search(rf"{mark}\w*/", agent)), "")
    machine = next((said for mark, said in MACHINES.items() if mark in agent), "")
    return f"{kind} on {machine}" if kind and machine else kind or machine


class EndedOut(serializers.Serializer):
    """In how many browsers the person was logged out."""

    ended = serializers.IntegerField()


class SecondFactorOut(serializers.Serializer):
    """A code app or a passkey of the person's."""

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(SecondFactor.Kind.values)
    name = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_used_at = serializers.DateTimeField(allow_null=True)


class SecondFactorsOut(serializers.Serializer):
    """What the person proves beside the password."""

    factors = SecondFactorOut(many=True)
    recovery_codes_left = serializers.IntegerField()
    passkeys = serializers.BooleanField(help_text="Whether passkeys can be made here.")
    password = serializers.BooleanField(help_text="Whether the person has a password at all.")


class CodeAppOut(serializers.Serializer):
    """What the app is told; shown this once."""

    secret = serializers.CharField()
    uri = serializers.CharField()
    picture = serializers.CharField(help_text="A QR code of `uri`, as a data: address.")


class CodeIn(serializers.Serializer):
    """What the app shows now."""

    code = serializers.CharField(max_length=20)


class RecoveryCodesOut(serializers.Serializer):
    """New recovery codes, shown this once; none where the person has some."""

    recovery_codes = serializers.ListField(child=serializers.CharField())


class PasskeyOptionsOut(serializers.Serializer):
    """What `navigator.credentials` is asked, in the JSON of WebAuthn."""

    public_key = serializers.DictField()


class PasskeyIn(serializers.Serializer):
    """What the browser's passkey answered, in the JSON of WebAuthn."""

    credential = serializers.DictField()


class NewPasskeyIn(PasskeyIn):
    """The passkey that the browser made, and what the person calls it."""

    name = OneLine(max_length=80)


class CheckIn(serializers.Serializer):
    """The password, taken as typed, and the second factor's code where there is one."""

    password = serializers.CharField(max_length=1000, trim_whitespace=False)
    code = serializers.CharField(max_length=40, allow_blank=True, default="")


class ForgotPasswordIn(serializers.Serializer):
    """Whose: the user name or the address."""

    name = serializers.CharField(max_length=254)


class NewPasswordIn(serializers.Serializer):
    """What the link holds, and the new password, taken as typed."""

    person = serializers.IntegerField(min_value=1, max_value=2**63 - 1)
    token = serializers.CharField(max_length=100)
    new_password = serializers.CharField(max_length=1000, trim_whitespace=False)
