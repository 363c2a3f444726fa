"""The database itself refuses to change, delete or empty the audit trail, whoever asks."""

from django.db import migrations

GUARD = """
CREATE FUNCTION labeling_refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The audit trail is append-only: % refused.', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END;
$$;
CREATE TRIGGER audit_is_append_only
    BEFORE UPDATE OR DELETE ON labeling_auditevent
    FOR EACH ROW EXECUTE FUNCTION labeling_refuse_audit_change();
CREATE TRIGGER audit_is_never_emptied
    BEFORE TRUNCATE ON labeling_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION labeling_refuse_audit_change();
"""

OPEN = """
DROP TRIGGER audit_is_never_emptied ON labeling_auditevent;
DROP TRIGGER audit_is_append_only ON labeling_auditevent;
DROP FUNCTION labeling_refuse_audit_change();
"""


class Migration(migrations.Migration):
    dependencies = [("labeling", "0001_initial")]

    operations = [migrations.RunSQL(GUARD, OPEN)]
