"""Installations of old versions, upgraded: they must answer as they did then.

`pytest -n 0 labeling/tests/upgrade/test_from_0_2_0.py` loads the old database (v0_2_0.sql.gz), migrates it and asks
the questions that the old version was asked (v0_2_0_answers.json.gz). `-k overview` asks about one subject only. An
intended difference gets its line in since_v0_2_0.py; the two files are never made again for it. The tests are in
body.py.
"""
