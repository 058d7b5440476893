"""Templates as Helm renders them."""

from __future__ import annotations

import pytest

from checker.extract.deployments.go_templates import NeedsHelmError, Renderer

ROOT = {
    "Values": {
        "name": "orders", "on": True, "off": False, "empty": "", "args": ["--rules", "a,b"], "count": 4, "large": 10**7,
        "labels": {"b": "2", "a": "1"}, "nested": {"x": {"y": "z"}}, "text": "{{ .Values.name }}-x",
    },
    "Release": {"Name": "release"},
    "Chart": {"Name": "chart"},
}  # fmt: skip
HELPERS = """
{{- define "chart.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride }}
{{- if contains $name .Release.Name }}{{ .Release.Name }}{{ else }}{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}
{{- end }}
{{- end }}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("a {{ .Values.name }} b", "a orders b"),
        ("a\n  {{- .Values.name -}}  \n b", "aordersb"),
        ("{{ .Values.name | quote }} {{ .Values.count | quote }}", '"orders" "4"'),
        ("{{/* nothing */}}x{{- /* more */ -}} y", "xy"),
        ("{{ if .Values.on }}yes{{ else }}no{{ end }}", "yes"),
        ("{{ if .Values.empty }}1{{ else if .Values.off }}2{{ else }}3{{ end }}", "3"),
        ("{{ if and .Values.on (not .Values.off) }}1{{ end }}{{ if or .Values.off .Values.missing }}2{{ end }}", "1"),
        ('{{ if eq .Values.name "orders" }}1{{ end }}{{ if ne .Values.count 4 }}2{{ end }}', "1"),
        ("{{ range .Values.args }}[{{ . }}]{{ end }}", "[--rules][a,b]"),
        ("{{ range $k, $v := .Values.labels }}{{ $k }}={{ $v }},{{ end }}", "a=1,b=2,"),
        ("{{ range $i, $v := .Values.args }}{{ $i }}{{ $.Values.name }}{{ end }}", "0orders1orders"),
        ("{{ range .Values.none }}x{{ else }}nothing{{ end }}", "nothing"),
        ("{{ with .Values.nested.x }}{{ .y }}{{ end }}{{ with .Values.empty }}x{{ end }}", "z"),
        ("{{ $n := 1 }}{{ range .Values.args }}{{ $n = add $n 1 }}{{ end }}{{ $n }}", "3"),
        ('{{ .Values.missing | default "d" }} {{ default 3 .Values.count }}', "d 4"),
        ("a:{{- toYaml .Values.args | nindent 2 }}", "a:\n  - --rules\n  - a,b"),
        ('{{ include "chart.fullname" . }}', "release-chart"),
        ('{{ required "why" .Values.name | upper }} {{ tpl .Values.text . }}', "ORDERS orders-x"),
        ('{{ ternary "a" "b" .Values.off }}{{ printf "%s:%d" .Values.name 5 }}', "borders:5"),
        ('{{ join "," .Values.args }} {{ mul 2 .Values.count }} {{ len .Values.args }}', "--rules,a,b 8 2"),
        ('{{ "a \\"quoted\\" }} text" }}', 'a "quoted" }} text'),
        ("{{ .Values.missing }}", ""),
    ],
)
def test_a_template_becomes_what_helm_makes_of_it(template: str, expected: str) -> None:
    renderer = Renderer(ROOT)
    renderer.define(HELPERS)
    assert renderer.rendered(template) == expected


@pytest.mark.parametrize(
    "template",
    [
        "{{ .Values.large }}", "{{ lookup .Values.name }}", "{{ .Values.name.x.y }}", "{{ if .Values.on }}",
        "{{ end }}",
        '{{ required "why" .Values.missing }}', '{{ include "unknown" . }}', "{{ $x = 1 }}", "{{ .Values.labels }}",
        '{{ range until 5 }}x{{ end }}', "{{ eq 1 }}{{ 1 | 2 }}", "{{ .Values.name 3 }}", "{{ $none }}",
    ],
)  # fmt: skip
def test_what_is_not_known_needs_helm(template: str) -> None:
    with pytest.raises(NeedsHelmError):
        Renderer(ROOT).rendered(template)
