"""Every URL of the API, by subject. A URL's name is that of its view, or the plural if it uses `by_method`."""

from django.urls import path

from labeling.api.audit_urls import audit_urls
from labeling.api.console_urls import console_urls
from labeling.api.methods import by_method
from labeling.api.retention_urls import retention_urls
from labeling.api.run_urls import run_urls
from labeling.api.session_urls import session_urls
from labeling.api.views import (
    agreement,
    candidates,
    evaluations,
    exports,
    failures,
    gold,
    gradings,
    guidelines,
    imports,
    label_audits,
    labeler_figures,
    labels,
    notices,
    paths,
    people,
    prms,
    projects,
    releases,
    reviews,
    round_reports,
    round_stages,
    rounds,
    score_imports,
    screening,
    selection,
    site,
    sources,
    time_spent,
    training,
)

invitation_urls = [
    path("invitations", people.list_own_invitations, name="list_own_invitations"),
    path("invitations/<int:invitation_id>/join", people.join_by_invitation, name="join_by_invitation"),
    path("invitations/<int:invitation_id>/revoke", people.revoke_invitation, name="revoke_invitation"),
    path("invitations/<str:token>", people.get_invitation, name="get_invitation"),
    path("invitations/<str:token>/accept", people.accept_invitation, name="accept_invitation"),
]

project_urls = [
    path("projects", by_method(GET=projects.list_projects, POST=projects.create_project), name="projects"),
    path(
        "projects/<slug:slug>",
        by_method(GET=projects.get_project, PATCH=projects.change_project),
        name="project",
    ),
    path("projects/<slug:slug>/audit", projects.list_audit, name="list_audit"),
    path("projects/<slug:slug>/audit.csv", projects.download_audit, name="download_audit"),
    path("projects/<slug:slug>/members", people.list_members, name="list_members"),
    path("projects/<slug:slug>/members/<int:member_id>/role", people.change_role, name="change_role"),
    path(
        "projects/<slug:slug>/members/<int:member_id>/deactivate",
        people.deactivate_member,
        name="deactivate_member",
    ),
    path(
        "projects/<slug:slug>/members/<int:member_id>/reactivate",
        people.reactivate_member,
        name="reactivate_member",
    ),
    path(
        "projects/<slug:slug>/invitations",
        by_method(GET=people.list_invitations, POST=people.create_invitation),
        name="invitations",
    ),
    path(
        "projects/<slug:slug>/guidelines",
        by_method(GET=guidelines.list_guidelines, POST=guidelines.publish_guideline),
        name="guidelines",
    ),
    path(
        "projects/<slug:slug>/guidelines/current",
        guidelines.get_current_guideline,
        name="get_current_guideline",
    ),
    path("projects/<slug:slug>/guidelines/<int:version>", guidelines.get_guideline, name="get_guideline"),
]

label_urls = [
    path("projects/<slug:slug>/labels/claim", labels.claim_next_label, name="claim_next_label"),
    path("projects/<slug:slug>/my_labels", labels.list_my_labels, name="list_my_labels"),
    path("projects/<slug:slug>/my_progress", labels.get_my_progress, name="get_my_progress"),
    path("projects/<slug:slug>/my_stats", labels.get_my_stats, name="get_my_stats"),
    path("projects/<slug:slug>/leases", labels.list_leases, name="list_leases"),
    path("labels/<int:label_id>", labels.get_label, name="get_label"),
    path("labels/<int:label_id>/heartbeat", labels.renew_lease, name="renew_lease"),
    path("labels/<int:label_id>/draft", labels.save_draft, name="save_draft"),
    path("labels/<int:label_id>/submit", labels.submit_label, name="submit_label"),
    path("labels/<int:label_id>/reopen", labels.reopen_label, name="reopen_label"),
    path("labels/<int:label_id>/resume", labels.resume_label, name="resume_label"),
    path("labels/<int:label_id>/revise", labels.revise_label, name="revise_label"),
    path("labels/<int:label_id>/release", labels.release_label, name="release_label"),
    path("labels/<int:label_id>/reference", labels.show_reference, name="show_reference"),
    path("labels/<int:label_id>/suggestions", labels.ask_suggestions, name="ask_suggestions"),
    path("labels/<int:label_id>/path", paths.get_path, name="get_path"),
    path("labels/<int:label_id>/path/rest", paths.show_rest, name="show_rest"),
    path("labels/<int:label_id>/path/steps", paths.submit_step, name="submit_step"),
    path("labels/<int:label_id>/path/undo", paths.undo_step, name="undo_step"),
    path("labels/<int:label_id>/earlier", labels.list_earlier_labels, name="list_earlier_labels"),
    path("labels/<int:label_id>/comparison", labels.get_comparison, name="get_comparison"),
    path("labels/<int:label_id>/reveal", labels.reveal_scores, name="reveal_scores"),
]

review_urls = [
    path("projects/<slug:slug>/agreement", agreement.get_agreement, name="get_agreement"),
    path("projects/<slug:slug>/agreement/disputed", agreement.list_disputed_traces, name="list_disputed_traces"),
    path("projects/<slug:slug>/agreement.csv", agreement.download_agreement, name="download_agreement"),
    path("projects/<slug:slug>/reviews", reviews.list_reviews, name="list_reviews"),
    path("projects/<slug:slug>/reviews/counts", reviews.count_reviews, name="count_reviews"),
    path("projects/<slug:slug>/my_replies", reviews.list_my_replies, name="list_my_replies"),
    path("tasks/<int:task_id>/review", reviews.get_review, name="get_review"),
    path("tasks/<int:task_id>/settle", reviews.settle_task, name="settle_task"),
    path("tasks/<int:task_id>/withdraw_ruling", reviews.withdraw_ruling, name="withdraw_ruling"),
    path("tasks/<int:task_id>/dismiss", reviews.dismiss_review, name="dismiss_review"),
    path("tasks/<int:task_id>/replies", reviews.reply_to_labeler, name="reply_to_labeler"),
    path("tasks/<int:task_id>/bad_problem", reviews.mark_bad_problem, name="mark_bad_problem"),
    path("tasks/<int:task_id>/restore_problem", reviews.restore_problem, name="restore_problem"),
    path("tasks/<int:task_id>/accept_answer", reviews.accept_answer, name="accept_answer"),
    path("tasks/<int:task_id>/correct_answer", reviews.correct_answer, name="correct_answer"),
    path("tasks/<int:task_id>/repair_split", reviews.repair_split, name="repair_split"),
    path("labels/<int:label_id>/replies", reviews.reply_to_reviewer, name="reply_to_reviewer"),
]

source_urls = [
    path(
        "projects/<slug:slug>/sources", by_method(GET=sources.list_sources, POST=sources.create_source), name="sources"
    ),
    path("projects/<slug:slug>/sources/preview", sources.preview_judge, name="preview_judge"),
    path("projects/<slug:slug>/sources/<int:source_id>/prune", sources.prune_source, name="prune_source"),
    path("projects/<slug:slug>/sources/<int:source_id>/calibration", sources.get_calibration, name="get_calibration"),
    path(
        "projects/<slug:slug>/source_runs",
        by_method(GET=sources.list_source_runs, POST=sources.start_source_run),
        name="source_runs",
    ),
    path("projects/<slug:slug>/source_runs/estimate", sources.estimate_source_run, name="estimate_source_run"),
    path("source_runs/<int:source_run_id>", sources.get_source_run, name="get_source_run"),
    path("source_runs/<int:source_run_id>/cancel", sources.cancel_source_run, name="cancel_source_run"),
    path("source_runs/<int:source_run_id>/resume", sources.resume_source_run, name="resume_source_run"),
    path("traces/<int:trace_id>/machine_marks", sources.list_machine_marks, name="list_machine_marks"),
    path("traces/<int:trace_id>/machine_marks/<int:source_id>", sources.list_mark_texts, name="list_mark_texts"),
]

round_urls = [
    path("projects/<slug:slug>/overview", rounds.get_overview, name="get_overview"),
    path("projects/<slug:slug>/rounds", by_method(GET=rounds.list_rounds, POST=rounds.open_round), name="rounds"),
    path("projects/<slug:slug>/rounds/preview", rounds.preview_round, name="preview_round"),
    path("projects/<slug:slug>/rounds/path", paths.open_path_round, name="open_path_round"),
    path("projects/<slug:slug>/rounds/path/preview", paths.preview_path_round, name="preview_path_round"),
    path("rounds/<int:round_id>", rounds.get_round, name="get_round"),
    path("rounds/<int:round_id>/paths", paths.get_path_report, name="get_path_report"),
    path("rounds/<int:round_id>/pause", rounds.pause_round, name="pause_round"),
    path("rounds/<int:round_id>/resume", rounds.resume_round, name="resume_round"),
    path("rounds/<int:round_id>/close", rounds.close_round, name="close_round"),
    path("projects/<slug:slug>/rounds/start", round_stages.start_round, name="start_round"),
    path("projects/<slug:slug>/rounds/pool", selection.count_pool, name="count_pool"),
    path("rounds/<int:round_id>/selection", selection.get_selection, name="get_selection"),
    path("rounds/<int:round_id>/reselect", selection.reselect_round, name="reselect_round"),
    path("projects/<slug:slug>/round_reports", round_reports.list_round_reports, name="list_round_reports"),
    path("rounds/<int:round_id>/report", round_reports.get_round_report, name="get_round_report"),
    path("rounds/<int:round_id>/report.csv", round_reports.download_round_report, name="download_round_report"),
    path("rounds/<int:round_id>/progress", round_stages.get_round_progress, name="get_round_progress"),
    path("rounds/<int:round_id>/cancel", round_stages.cancel_round, name="cancel_round"),
    path("rounds/<int:round_id>/publish", round_stages.publish_round, name="publish_round"),
    path("rounds/<int:round_id>/next", round_stages.schedule_next, name="schedule_next"),
    path(
        "projects/<slug:slug>/gradings",
        by_method(GET=gradings.list_gradings, POST=gradings.create_grading),
        name="gradings",
    ),
    path("gradings/<int:grading_id>", gradings.get_grading, name="get_grading"),
    path(
        "gradings/<int:grading_id>/differences",
        gradings.list_grading_differences,
        name="list_grading_differences",
    ),
    path("gradings/<int:grading_id>/leave_out", gradings.leave_out_difference, name="leave_out_difference"),
    path("gradings/<int:grading_id>/apply", gradings.apply_grading, name="apply_grading"),
    path("gradings/<int:grading_id>/cancel", gradings.cancel_grading, name="cancel_grading"),
    path("projects/<slug:slug>/generators", candidates.list_generators, name="list_generators"),
    path("projects/<slug:slug>/splitter/preview", candidates.preview_splitter, name="preview_splitter"),
    path("traces/<int:trace_id>", rounds.get_trace, name="get_trace"),
    path("projects/<slug:slug>/tasks", rounds.list_tasks, name="list_tasks"),
    path("tasks/<int:task_id>", rounds.get_task, name="get_task"),
]

figure_urls = [
    path("projects/<slug:slug>/time", time_spent.get_time_report, name="get_time_report"),
    path("projects/<slug:slug>/time.csv", time_spent.download_time_report, name="download_time_report"),
    path("projects/<slug:slug>/failures", failures.get_failures, name="get_failures"),
    path("projects/<slug:slug>/failures.csv", failures.download_failures, name="download_failures"),
    path("projects/<slug:slug>/labelers", labeler_figures.list_labelers, name="list_labelers"),
    path("projects/<slug:slug>/hasty_labels", labeler_figures.count_hasty_labels, name="count_hasty_labels"),
    path("projects/<slug:slug>/labelers.csv", labeler_figures.download_labelers, name="download_labelers"),
    path("projects/<slug:slug>/my_coaching", labeler_figures.get_my_coaching, name="get_my_coaching"),
]

notice_urls = [
    path("notices", notices.list_notices, name="list_notices"),
    path("notices/unread", notices.count_unread_notices, name="count_unread_notices"),
    path("notices/read_all", notices.read_all_notices, name="read_all_notices"),
    path("notices/<int:notice_id>/read", notices.read_notice, name="read_notice"),
    path(
        "notices/choices",
        by_method(GET=notices.get_notice_choices, PUT=notices.choose_notices),
        name="notice_choices",
    ),
    path(
        "projects/<slug:slug>/webhooks",
        by_method(GET=notices.list_webhooks, POST=notices.add_webhook),
        name="webhooks",
    ),
    path("webhooks/<int:webhook_id>", by_method(PATCH=notices.change_webhook), name="change_webhook"),
    path("webhooks/<int:webhook_id>/remove", notices.remove_webhook, name="remove_webhook"),
    path("webhooks/<int:webhook_id>/secret", notices.renew_webhook_secret, name="renew_webhook_secret"),
    path("webhooks/<int:webhook_id>/try", notices.try_webhook, name="try_webhook"),
    path("projects/<slug:slug>/deliveries", notices.list_deliveries, name="list_deliveries"),
    path("deliveries/<int:delivery_id>/retry", notices.retry_delivery, name="retry_delivery"),
]

data_urls = [
    path("import_formats", imports.get_import_formats, name="get_import_formats"),
    path(
        "projects/<slug:slug>/imports",
        by_method(GET=imports.list_imports, POST=imports.create_import),
        name="imports",
    ),
    path("imports/<int:import_id>", imports.get_import, name="get_import"),
    path("imports/<int:import_id>/rows", imports.get_import_rows, name="get_import_rows"),
    path("imports/<int:import_id>/preview", imports.preview_import, name="preview_import"),
    path("imports/<int:import_id>/import", imports.import_checked_file, name="import_checked_file"),
    path("imports/<int:import_id>/cancel", imports.cancel_import, name="cancel_import"),
    path("export_formats", exports.get_export_formats, name="get_export_formats"),
    path(
        "projects/<slug:slug>/exports",
        by_method(GET=exports.list_exports, POST=exports.create_export),
        name="exports",
    ),
    path("projects/<slug:slug>/exports/preview", exports.preview_export, name="preview_export"),
    path("projects/<slug:slug>/label_sorts", exports.get_label_sorts, name="get_label_sorts"),
    path("exports/<int:export_id>", exports.get_export, name="get_export"),
    path("exports/<int:export_id>/download", exports.download_export, name="download_export"),
    path("exports/<int:export_id>/manifest", exports.get_manifest, name="get_manifest"),
    path("exports/<int:export_id>/companions/<str:name>", exports.download_companion, name="download_companion"),
    path("exports/<int:export_id>/row_hashes", exports.download_row_hashes, name="download_row_hashes"),
]

release_urls = [
    path(
        "projects/<slug:slug>/releases",
        by_method(GET=releases.list_releases, POST=releases.create_release),
        name="releases",
    ),
    path(
        "releases/<int:release_id>",
        by_method(GET=releases.get_release, PATCH=releases.answer_release),
        name="get_release",
    ),
    path("releases/<int:release_id>/check", releases.check_release, name="check_release"),
    path("releases/<int:release_id>/remove", releases.remove_draft, name="remove_draft"),
    path("releases/<int:release_id>/publish", releases.publish_release, name="publish_release"),
    path("releases/<int:release_id>/repack", releases.repack_release, name="repack_release"),
    path("releases/<int:release_id>/withdraw", releases.withdraw_release, name="withdraw_release"),
    path("releases/<int:release_id>/card", releases.get_release_card, name="get_release_card"),
    path("releases/<int:release_id>/download", releases.download_release, name="download_release"),
    path("releases/<int:release_id>/diff", releases.get_release_diff, name="get_release_diff"),
    path("releases/<int:release_id>/diff.csv", releases.download_release_diff, name="download_release_diff"),
    path("releases/<int:release_id>/labels", releases.list_released_labels, name="list_released_labels"),
    path("releases/<int:release_id>/labels/<int:released_id>", releases.get_released_label, name="get_released_label"),
    path("releases/<int:release_id>/find_row", releases.find_released_row, name="find_released_row"),
    path("releases/<int:release_id>/labelers", releases.get_release_labelers, name="get_release_labelers"),
    path("releases/<int:release_id>/trace_labeler", releases.trace_labeler, name="trace_labeler"),
    path("releases/<int:release_id>/without", releases.release_without, name="release_without"),
    path("releases/<int:release_id>/push", releases.push_release, name="push_release"),
]

prm_urls = [
    path("projects/<slug:slug>/prms", by_method(GET=prms.list_prms, POST=prms.connect_prm), name="prms"),
    path("projects/<slug:slug>/prms/connections", prms.get_prm_connections, name="get_prm_connections"),
    path("projects/<slug:slug>/prms/<int:prm_id>/recheck", prms.recheck_prm, name="recheck_prm"),
    path("projects/<slug:slug>/prms/<int:prm_id>/retire", prms.retire_prm, name="retire_prm"),
    path("projects/<slug:slug>/prms/<int:prm_id>/try", prms.try_prm, name="try_prm"),
    path(
        "projects/<slug:slug>/score_imports",
        by_method(GET=score_imports.list_score_imports, POST=score_imports.import_scores),
        name="score_imports",
    ),
    path("score_imports/<int:import_id>", score_imports.get_score_import, name="get_score_import"),
    path("score_imports/<int:import_id>/cancel", score_imports.cancel_score_import, name="cancel_score_import"),
    path("prm_trials/<int:trial_id>", prms.get_prm_trial, name="get_prm_trial"),
]

loop_urls = [
    path(
        "projects/<slug:slug>/training_runs",
        by_method(GET=training.list_training_runs, POST=training.create_training_run),
        name="training_runs",
    ),
    path("projects/<slug:slug>/training_runs/options", training.get_training_options, name="get_training_options"),
    path("projects/<slug:slug>/training_runs/at_close", training.get_training_at_close, name="get_training_at_close"),
    path("projects/<slug:slug>/training_runs/preview", training.preview_training, name="preview_training"),
    path("training_runs/<int:run_id>", training.get_training_run, name="get_training_run"),
    path("training_runs/<int:run_id>/cancel", training.cancel_training_run, name="cancel_training_run"),
    path(
        "projects/<slug:slug>/promotions",
        by_method(GET=training.list_promotions, POST=training.promote_prm),
        name="promotions",
    ),
    path("projects/<slug:slug>/promotions/news", training.get_promotion_news, name="get_promotion_news"),
    path("projects/<slug:slug>/promotions/roll_back", training.roll_back_promotion, name="roll_back_promotion"),
    path(
        "projects/<slug:slug>/evaluation_sets",
        by_method(GET=evaluations.list_evaluation_sets, POST=evaluations.create_evaluation_set),
        name="evaluation_sets",
    ),
    path(
        "projects/<slug:slug>/evaluations",
        by_method(GET=evaluations.list_evaluations, POST=evaluations.create_evaluation),
        name="evaluations",
    ),
    path("projects/<slug:slug>/evaluations/compare", evaluations.compare_evaluations, name="compare_evaluations"),
    path("evaluations/<int:evaluation_id>", evaluations.get_evaluation, name="get_evaluation"),
    path("evaluations/<int:evaluation_id>/cancel", evaluations.cancel_evaluation, name="cancel_evaluation"),
]

gold_urls = [
    path("projects/<slug:slug>/gold", gold.list_gold, name="list_gold"),
    path("projects/<slug:slug>/gold/counts", gold.count_gold, name="count_gold"),
    path("traces/<int:trace_id>/gold", gold.make_gold, name="make_gold"),
    path("gold/<int:gold_id>", by_method(GET=gold.get_gold, PATCH=gold.change_gold), name="gold_item"),
    path("gold/<int:gold_id>/retire", gold.retire_gold, name="retire_gold"),
    path("gold/<int:gold_id>/restore", gold.restore_gold, name="restore_gold"),
    path("projects/<slug:slug>/labeler_quality", gold.list_labeler_quality, name="list_labeler_quality"),
    path("projects/<slug:slug>/members/<int:member_id>/pause", gold.pause_member, name="pause_member"),
    path("projects/<slug:slug>/members/<int:member_id>/unpause", gold.unpause_member, name="unpause_member"),
    path("projects/<slug:slug>/members/<int:member_id>/admit", gold.admit_member, name="admit_member"),
    path("projects/<slug:slug>/members/<int:member_id>/allow_attempt", gold.allow_attempt, name="allow_attempt"),
    path("projects/<slug:slug>/my_quality", screening.get_my_quality, name="get_my_quality"),
    path("projects/<slug:slug>/screening/retry", screening.retry_screening, name="retry_screening"),
    path(
        "labels/<int:label_id>/feedback",
        by_method(GET=screening.get_feedback, POST=screening.object_to_gold),
        name="get_feedback",
    ),
]

label_audit_urls = [
    path(
        "projects/<slug:slug>/label_audits",
        by_method(GET=label_audits.list_label_audits, POST=label_audits.create_label_audit),
        name="label_audits",
    ),
    path("projects/<slug:slug>/label_audits/preview", label_audits.preview_label_audit, name="preview_label_audit"),
    path("label_audits/<int:label_audit_id>", label_audits.get_label_audit, name="get_label_audit"),
    path(
        "label_audits/<int:label_audit_id>/report.csv", label_audits.download_label_audit, name="download_label_audit"
    ),
    path("label_audits/<int:label_audit_id>/next", label_audits.hold_next_item, name="hold_next_item"),
    path("label_audits/<int:label_audit_id>/finish", label_audits.finish_label_audit, name="finish_label_audit"),
    path("label_audits/<int:label_audit_id>/cancel", label_audits.cancel_label_audit, name="cancel_label_audit"),
    path("label_audits/<int:label_audit_id>/undo", label_audits.undo_label_audit, name="undo_label_audit"),
    path("label_audit_items/<int:item_id>", label_audits.get_label_audit_item, name="get_label_audit_item"),
    path("label_audit_items/<int:item_id>/review", label_audits.review_item, name="review_item"),
]

urlpatterns = [
    *label_urls,  # first, because these are requested most often and routes are tried in order
    *session_urls,
    path("site", site.get_site, name="get_site"),
    *invitation_urls,
    *project_urls,
    *console_urls,
    *review_urls,
    *round_urls,
    *source_urls,
    *audit_urls,
    *retention_urls,
    *run_urls,
    *figure_urls,
    *notice_urls,
    *data_urls,
    *release_urls,
    *prm_urls,
    *loop_urls,
    *gold_urls,
    *label_audit_urls,
]
