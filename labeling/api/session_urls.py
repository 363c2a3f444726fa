"""URLs of sessions and ways to log in: passwords, providers, passkeys, second factors, browsers, API tokens."""

from django.urls import path

from labeling.api.methods import by_method
from labeling.api.views import session, sign_in

session_urls = [
    path("session", session.get_session, name="get_session"),
    path("session/login", session.log_in, name="log_in"),
    path("session/logout", session.log_out, name="log_out"),
    path("session/providers/<slug:provider>/begin", session.begin_sign_in, name="begin_sign_in"),
    path("session/providers/<slug:provider>/callback", session.finish_sign_in, name="finish_sign_in"),
    path("session/passkey/begin", sign_in.begin_passkey_login, name="begin_passkey_login"),
    path("session/passkey", sign_in.use_passkey, name="use_passkey"),
    path("session/check", sign_in.check_again, name="check_again"),
    path("session/password", session.change_password, name="change_password"),
    path("session/password/forgotten", sign_in.forget_password, name="forget_password"),
    path("session/password/new", sign_in.set_forgotten_password, name="set_forgotten_password"),
    path("session/browsers", sign_in.list_browsers, name="list_browsers"),
    path("session/browsers/end_others", sign_in.end_other_browsers, name="end_other_browsers"),
    path("session/browsers/<int:browser_id>/end", sign_in.end_browser, name="end_browser"),
    path("session/factors", sign_in.get_factors, name="get_factors"),
    path("session/factors/code_app", sign_in.begin_code_app, name="begin_code_app"),
    path("session/factors/code_app/confirm", sign_in.confirm_code_app, name="confirm_code_app"),
    path("session/factors/passkey", sign_in.begin_passkey, name="begin_passkey"),
    path("session/factors/passkey/finish", sign_in.finish_passkey, name="finish_passkey"),
    path("session/factors/recovery_codes", sign_in.renew_recovery_codes, name="renew_recovery_codes"),
    path("session/factors/<int:factor_id>/remove", sign_in.remove_factor, name="remove_factor"),
    path("session/preferences", session.save_preferences, name="save_preferences"),
    path("tokens", by_method(GET=session.list_tokens, POST=session.create_token), name="tokens"),
    path("tokens/<int:token_id>/revoke", session.revoke_token, name="revoke_token"),
]
