#!/usr/bin/env bash
# Compares the two revisions of the event, annotates, and writes the reports and the step summary.
# Never fails for findings: the last step does, when the comment is written.
set -uo pipefail

field() {
  python3 -I -c '
import json, sys
value = json.load(open(sys.argv[1], encoding="utf-8"))
for key in sys.argv[2].split("."):
    value = value.get(key) if isinstance(value, dict) else None
print(value or "")' "$GITHUB_EVENT_PATH" "$1"
}

base_of_event() {
  case "$GITHUB_EVENT_NAME" in
    pull_request | pull_request_target)
      if [ "${GITHUB_REF:-}" != "${GITHUB_REF#refs/pull/}" ] && git rev-parse --verify --quiet "HEAD^2" > /dev/null; then
        # What is checked out is the merge that GitHub made: its first parent is the base as it is now.
        git rev-parse "HEAD^1"
      else
        git merge-base "$(field pull_request.base.sha)" "${INPUT_HEAD:-HEAD}" || field pull_request.base.sha
      fi
      ;;
    merge_group) field merge_group.base_sha ;;
    push)
      before=$(field before)
      if [ -n "${before//0/}" ] && git cat-file -e "$before^{commit}" 2> /dev/null; then echo "$before"; fi
      ;;
  esac
}

export SAVEPOINT_CHECKER_CACHE="$RUNNER_TEMP/savepoint-checker-cache"
folder="$RUNNER_TEMP/savepoint-checker-report"
mkdir -p "$folder"
base="${INPUT_BASE:-}"
[ -n "$base" ] || base=$(base_of_event)
arguments=(check --engine in-process --head "${INPUT_HEAD:-HEAD}" --format github)
[ -z "$base" ] || arguments+=(--base "$base")
for ending in html json md sarif xml; do arguments+=(--output "$folder/report.$ending"); done
read -r -a options <<< "${INPUT_OPTIONS:-}"
case " ${options[*]-} " in
  *" --allow-exec "*)
    case "$GITHUB_EVENT_NAME" in pull_request*)
      echo "::error title=savepoint-checker::--allow-exec would run a pull request's own code here; use it on pushes only"
      exit 2
      ;;
    esac
    ;;
esac

savepoint-checker "${arguments[@]}" ${options[@]+"${options[@]}"} 2> "$folder/errors.txt"
code=$?
# What a repository has in its names is no command to the runner, which takes lines that begin with "::" for some.
tr '\r' ' ' < "$folder/errors.txt" | sed -e 's/^/savepoint-checker: /' -e 's/##\[/## [/g' >&2
verdict=error
if [ "$code" -le 1 ]; then
  verdict=$(python3 -I -c 'import json, sys; print(json.load(open(sys.argv[1], encoding="utf-8"))["verdict"])' "$folder/report.json")
  cat "$folder/report.md" >> "$GITHUB_STEP_SUMMARY"
else
  python3 -I - "$folder/errors.txt" <<'PYTHON'
import sys
text = open(sys.argv[1], encoding="utf-8", errors="replace").read().strip()
for one, other in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A")):
    text = text.replace(one, other)
print(f"::error title=savepoint-checker could not do the work::{text or 'see the log'}")
PYTHON
  {
    echo "## savepoint-checker could not do the work"
    sed 's/^/    /' "$folder/errors.txt"
  } >> "$GITHUB_STEP_SUMMARY"
fi
if [ "$code" = 1 ] && [ "${INPUT_SUGGESTIONS:-false}" = true ]; then
  repair=(repair --head "${INPUT_HEAD:-HEAD}")
  [ -z "$base" ] || repair+=(--base "$base")
  # It exits with 1 where not everything can be repaired: what can is in the diff all the same.
  savepoint-checker "${repair[@]}" > "$folder/repair.diff" 2> /dev/null || [ -s "$folder/repair.diff" ] || rm -f "$folder/repair.diff"
fi
{
  echo "exit-code=$code"
  echo "verdict=$verdict"
  echo "folder=$folder"
} >> "$GITHUB_OUTPUT"
