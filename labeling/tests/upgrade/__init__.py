"""An installation of version 0.1.0, brought up to date: what it answered then it must answer now.

`pytest -n 0 labeling/tests/upgrade` loads the old database (v0_1_0.sql.gz), migrates it and asks what was asked of the
old version (v0_1_0_answers.json.gz). `-k overview` asks for one subject only. A difference that is meant gets its line
in differences.py; the two files are never made anew for it.
"""
