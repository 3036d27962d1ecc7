#!/usr/bin/env bash
# Does a newcomer's machine run `make demo` and `make test`? A fresh clone of the last commit, an empty HOME, no Java, no caches.
# What pip is told about its index (PIP_* variables and configuration files) is the machine's own, and is kept.
set -euo pipefail

root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The interpreter itself: a version manager's script on the PATH may look into the HOME that we take away.
python=$("${PYTHON:-python3}" -c 'import sys; print(sys.executable)')

# pip reads its user configuration from HOME.
if [ -z "${PIP_CONFIG_FILE:-}" ]; then
  for file in "${XDG_CONFIG_HOME:-$HOME/.config}/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -f "$file" ]; then
      export PIP_CONFIG_FILE="$file"
      break
    fi
  done
fi

# A directory on the PATH that holds a java is replaced by one with links to everything else in it.
shadow() {
  local from=$1 to=$2 entry name
  mkdir -p "$to"
  for entry in "$from"/*; do
    name=${entry##*/}
    case $name in java | javac | javaw) ;; *) ln -s "$entry" "$to/$name" ;; esac
  done
}
path=
count=0
IFS=: read -ra directories <<<"$PATH"
for directory in "${directories[@]}"; do
  if [ -e "$directory/java" ]; then
    count=$((count + 1))
    shadow "$directory" "$work/path$count"
    directory=$work/path$count
  fi
  path=${path:+$path:}$directory
done

mkdir "$work/home"
git clone --quiet --no-hardlinks "$root" "$work/clone"
export HOME="$work/home" PATH="$path"
unset JAVA_HOME JDK_HOME JRE_HOME SPARK_HOME PYSPARK_PYTHON PYSPARK_DRIVER_PYTHON PYTHONPATH VIRTUAL_ENV XDG_CONFIG_HOME \
  XDG_CACHE_HOME MAKEFLAGS MAKELEVEL
if command -v java >/dev/null; then
  echo "fresh: java is still on the PATH" >&2
  exit 2
fi

cd "$work/clone"
failed=0
report=
for task in demo test; do
  begin=$SECONDS
  if make "$task" PYTHON="$python"; then outcome=OK; else outcome=FAIL failed=1; fi
  report+="fresh: make $task $outcome in $((SECONDS - begin)) s"$'\n'
done
if [ -n "$(git status --porcelain)" ]; then
  report+="fresh: the clone is not clean afterwards"$'\n'
  failed=1
fi
printf '%s' "$report"
exit "$failed"
