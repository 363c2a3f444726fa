{{- define "stepmark.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" | replace "stepmark-stepmark" "stepmark" -}}
{{- end }}

{{- define "stepmark.selector" -}}
app.kubernetes.io/name: stepmark
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "stepmark.labels" -}}
{{ include "stepmark.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* What every container of ours has: settings, no rights, a disk that cannot be written but where it must be. */}}
{{- define "stepmark.container" -}}
{{- $image := ternary .root.Values.gpuImage .root.Values.image (eq .part "gpu-worker") }}
image: "{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}"
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
envFrom:
  - configMapRef: {name: {{ include "stepmark.name" .root }}}
  - secretRef: {name: {{ required "existingSecret: name a Secret with SECRET_KEY, DATABASE_URL and REDIS_URL" .root.Values.existingSecret }}}
  {{- with .own.secret }}
  - secretRef: {name: {{ . }}}
  {{- end }}
{{- with .own.extraEnv }}
env: {{- toYaml . | nindent 2 }}
{{- end }}
resources: {{- toYaml .own.resources | nindent 2 }}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: data, mountPath: /data}
  {{- if and (eq .part "gpu-worker") .own.modelsClaim }}
  - {name: models, mountPath: /models, readOnly: true}
  {{- else if eq .part "gpu-worker" }}
  - {name: models, mountPath: /models}
  {{- end }}
  {{- if and (eq .part "gpu-worker") .own.trainedClaim }}
  - {name: trained, mountPath: /models/trained}
  {{- end }}
  {{- with .own.extraVolumeMounts }}{{ toYaml . | nindent 2 }}{{ end }}
{{- end }}

{{/* The pod around it. Nothing of ours speaks to Kubernetes. */}}
{{- define "stepmark.pod" -}}
serviceAccountName: {{ include "stepmark.name" .root }}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: {type: RuntimeDefault}
{{- if has .part (list "web" "worker" "gpu-worker") }}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "stepmark.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
volumes:
  - {name: tmp, emptyDir: {}}
  - name: data
    {{- if .root.Values.data.existingClaim }}
    persistentVolumeClaim: {claimName: {{ .root.Values.data.existingClaim }}}
    {{- else }}
    {{- if not .root.Values.config.OBJECT_STORAGE }}
    {{- fail "Uploads and exports need a place that all pods see: data.existingClaim (ReadWriteMany), or config.OBJECT_STORAGE" }}
    {{- end }}
    emptyDir: {sizeLimit: {{ .root.Values.data.scratchSize }}}
    {{- end }}
  {{- if and (eq .part "gpu-worker") .own.modelsClaim }}
  - {name: models, persistentVolumeClaim: {claimName: {{ .own.modelsClaim }}, readOnly: true}}
  {{- else if eq .part "gpu-worker" }}
  - {name: models, emptyDir: {}}
  {{- end }}
  {{- if and (eq .part "gpu-worker") .own.trainedClaim }}
  - {name: trained, persistentVolumeClaim: {claimName: {{ .own.trainedClaim }}}}
  {{- end }}
  {{- with .own.extraVolumes }}{{ toYaml . | nindent 2 }}{{ end }}
{{- with .own.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .own.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{/* New settings start new pods. */}}
{{- define "stepmark.annotations" -}}
checksum/config: {{ include (print .root.Template.BasePath "/config.yaml") .root | sha256sum }}
checksum/secrets: {{ .root.Values.secretsVersion | sha256sum }}
{{- end }}
