#!/usr/bin/env bash
# Installs savepoint-checker into an environment of its own and puts it on the PATH of the steps behind.
set -euo pipefail
folder="$RUNNER_TEMP/savepoint-checker"
python3 -I -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
  echo "::error title=savepoint-checker::needs Python 3.11 or newer; put actions/setup-python before this action"
  exit 2
}
python3 -I -m venv "$folder"
"$folder/bin/python" -I -m pip install --quiet --disable-pip-version-check "${INPUT_INSTALL:-$GITHUB_ACTION_PATH}"
echo "$folder/bin" >> "$GITHUB_PATH"
