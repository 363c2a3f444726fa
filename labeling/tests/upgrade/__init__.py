"""Installations of old versions, brought up to date: what they answered then they must answer now.

`pytest -n 0 labeling/tests/upgrade/test_from_0_2_0.py` loads the old database (v0_2_0.sql.gz), migrates it and asks
what was asked of the old version (v0_2_0_answers.json.gz). `-k overview` asks for one subject only. A difference that
is meant gets its line in since_v0_2_0.py; the two files are never made anew for it. The tests stand in body.py.
"""
