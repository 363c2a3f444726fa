"""How good a PRM's scores are, measured against human labels. Pure: scores and labels in, metrics with intervals out.

- `steps`: AUC (plain and given position), average precision, accuracy, F1 of single steps;
- `thresholds`: precision and recall of the wrong steps, by the threshold below which a step is judged wrong;
- `traces`: first errors as ProcessBench counts them, process collapse, right answers reached wrongly;
- `calibration`: whether 0.8 means eight of ten;
- `baseline`: what position and length alone predict;
- `best_of_n`: what a PRM is worth when it picks one of many traces;
- `evaluation`: all metrics of one set of traces, with intervals over problems.

None of them is shown alone: best-of-N without a step-level metric hides a PRM that only looks at the last step, and a
step AUC without the baseline hides one that only counts steps (later steps are worse).
"""
