#!/usr/bin/env bash
# check_format.sh CLANG_FORMAT ROOT: every tracked C++ file is as clang-format would write it.
# Ends with 77 (skipped) where ROOT is not a git working tree.
set -euo pipefail
clang_format=$1
root=$2
cd "$root"
if [[ "$(git -c safe.directory="$root" rev-parse --show-toplevel 2> /dev/null)" != "$(pwd -P)" ]]; then
  echo "$root is not the top of a git working tree; which files to check is unknown"
  exit 77
fi
mapfile -d '' -t files < <(git -c safe.directory="$root" ls-files -z -- '*.hpp' '*.cpp')
present=()
for file in "${files[@]}"; do
  [[ ! -f "$file" ]] || present+=("$file")
done
if ((${#present[@]} == 0)); then
  echo "no tracked C++ file under $root"
  exit 1
fi
if ! "$clang_format" --dry-run --Werror --ferror-limit=1 "${present[@]}"; then
  echo "Mend with: $(basename "$clang_format") -i FILE"
  exit 1
fi
echo "${#present[@]} files are formatted"
