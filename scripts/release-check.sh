#!/usr/bin/env bash
# Could this be released? Builds sdist and wheel, checks both, installs the wheel into an empty environment on every Python that
# we declare and this machine has, runs the demo there, and runs the tests that start no JVM from the sdist.
# What is missing on this machine is said in the last lines, and is no failure.
set -euo pipefail
cd "$(dirname "$0")/.."

pythons=(3.10 3.11 3.12 3.13 3.14)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
report=()

find_python() { # the interpreter of a version: on the PATH, else one that pyenv has
  local found
  for found in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    if [ -n "$found" ] && "$found" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$1')" 2>/dev/null; then
      "$found" -c 'import sys; print(sys.executable)'
      return
    fi
  done
}

rm -rf dist
"$1/bin/python" -m build --outdir dist .
"$1/bin/python" -m twine check --strict dist/*
"$1/bin/check-wheel-contents" dist/*.whl
wheel=$(echo "$PWD"/dist/*.whl)
sdist=$(echo "$PWD"/dist/*.tar.gz)
report+=("sdist and wheel: built and checked")

newest=
for version in "${pythons[@]}"; do
  python=$(find_python "$version")
  if [ -z "$python" ]; then
    report+=("Python $version: not on this machine, so not tried")
    continue
  fi
  newest=$python
  "$python" -m venv "$work/$version"
  "$work/$version/bin/python" -m pip install --quiet "$wheel[spark]"
  (
    cd "$work"
    "$work/$version/bin/python" -m byhistory.spark.java >/dev/null || "$work/$version/bin/python" -m pip install --quiet "$wheel[spark,java]"
    "$work/$version/bin/byhistory" demo >"$work/demo-$version.log" 2>&1 || { cat "$work/demo-$version.log" >&2; exit 1; }
  )
  report+=("Python $version: the wheel installs and runs the demo: $(tail -n 1 "$work/demo-$version.log")")
  rm -rf "${work:?}/$version"
done

mkdir "$work/sdist"
tar -xzf "$sdist" -C "$work/sdist" --strip-components 1
"$newest" -m venv "$work/tests"
"$work/tests/bin/python" -m pip install --quiet "$work/sdist[spark,connect,dev]"
(cd "$work/sdist" && "$work/tests/bin/python" -m pytest -q -p no:cacheprovider -n "${WORKERS:-2}" --dist loadgroup -m "not spark" tests)
report+=("sdist: the tests that start no JVM pass from it")

printf 'release-check: %s\n' "${report[@]}"
