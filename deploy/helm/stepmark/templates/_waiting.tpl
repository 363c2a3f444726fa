{{/*
How many pieces of work wait or are being done, by the rows that workers lease; a message of the broker is only a call. The project's
tests run both statements on its tables.
*/}}
{{- define "stepmark.waiting.cpu" -}}
SELECT (SELECT count(*) FROM labeling_roundchunk c JOIN labeling_round r ON r.id = c.round_id WHERE c.status IN ('queued', 'running') AND r.planned = c.stage AND c.stage <> 'scoring')
{{- range list "importjob" "export" "gradingjob" "scoreimport" "release" "releasepush" "labelpush" "sourcechunk" "projectmove" }} + (SELECT count(*) FROM labeling_{{ . }} WHERE status IN ('queued', 'running')){{ end }}
{{- end }}
{{- define "stepmark.waiting.gpu" -}}
SELECT (SELECT count(*) FROM labeling_roundchunk c JOIN labeling_round r ON r.id = c.round_id WHERE c.status IN ('queued', 'running') AND r.planned = c.stage AND c.stage = 'scoring')
{{- range list "trainingrun" "evaluation" "prmtrial" }} + (SELECT count(*) FROM labeling_{{ . }} WHERE status IN ('queued', 'running')){{ end }} + (SELECT count(*) FROM labeling_stepscorer WHERE status = 'unchecked')
{{- end }}
