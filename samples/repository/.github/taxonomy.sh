#!/usr/bin/env bash
# The steps of workflows/taxonomy.yml. Each taxonomy is a file taxonomies/{tenant}.json.
#
#   taxonomy.sh install           puts `taxonomy` on the path of the steps behind
#   taxonomy.sh check BASE        validates and plans the files that differ from BASE; fails if one is refused
#   taxonomy.sh comment NUMBER    writes what `check` found under the change, always in the same comment
#   taxonomy.sh publish BEFORE    pushes the files that differ from BEFORE; every file where there is no such commit
#
# Names and texts come from files that anybody may propose. They reach programs as arguments and in files, never as code, and a reader
# between fences that they cannot close.
set -euo pipefail

MARKER='<!-- taxonomy: the comment that is written anew with each commit -->'
REPORT="${RUNNER_TEMP:?}/taxonomy-report.md"
# GitHub takes 65,536 characters; a character has at least one byte.
LIMIT=65000

install() {
  local folder="$RUNNER_TEMP/taxonomy"
  curl --fail --location --silent --show-error --max-time 300 --output "$folder.tar.gz" "$ARCHIVE"
  echo "$ARCHIVE_SHA256  $folder.tar.gz" | sha256sum --check --strict --quiet
  mkdir -p "$folder"
  tar -xzf "$folder.tar.gz" --strip-components=1 -C "$folder"
  echo "$folder/bin" >>"$GITHUB_PATH"
}

# Prints the tenant of a file, or fails where its name is none's.
tenant_of() {
  local name="${1#taxonomies/}"
  [[ "$name" =~ ^[A-Za-z0-9._~-]{1,64}\.json$ ]] && printf '%s\n' "${name%.json}"
}

# Prints a text between fences, cut to so many bytes at the end of a line.
fenced() {
  local text="$1" most="$2" fence='```'
  while [[ "$text" == *"$fence"* ]]; do fence+='`'; done
  if ((${#text} > most)); then
    text="$(head -c "$most" <<<"$text" | sed '$d')"$'\n\n'"... cut here: the log of the run has all of it"
  fi
  printf '%s\n%s\n%s\n' "$fence" "$text" "$fence"
}

# Prints the last line that is not empty: a plan ends with its summary.
summary() {
  grep -E '^(Terms|Nothing)' <<<"$1" | tail -n 1 || true
}

# Appends the section of a file to the report; fails if the file is refused.
section() {
  local status="$1" file="$2" most="$3" tenant base output code=0
  if ! tenant="$(tenant_of "$file")"; then
    printf '### ❌ A file whose name is no tenant\n\n%s\n\n' "$(fenced "$file" "$most")" >>"$REPORT"
    printf 'Its name is `taxonomies/{tenant}.json`, where a tenant has 1 to 64 letters, digits, `.`, `_`, `~` and `-`.\n\n' >>"$REPORT"
    return 1
  fi
  if [ "$status" = D ]; then
    printf '### `%s`: the file is removed\n\nNothing is published, and the last version is served on. `taxonomy tenant purge` deletes a tenant.\n\n' "$tenant" >>"$REPORT"
    return 0
  fi
  output="$(taxonomy validate "$file" 2>&1)" || code=$?
  echo "$output"
  if [ "$code" -ne 0 ]; then
    printf '### ❌ `%s`: refused\n\n%s\n\n' "$tenant" "$(fenced "$output" "$most")" >>"$REPORT"
    return 1
  fi
  if [ "${IS_FORK:-false}" = true ]; then
    base="$RUNNER_TEMP/base.json"
    git show "$BASE:$file" >"$base" 2>/dev/null || base=empty
    output="$(taxonomy plan "$file" --against "$base" --full 2>&1)" || code=$?
  else
    output="$(taxonomy plan "$file" --tenant "$tenant" --full 2>&1)" || code=$?
  fi
  echo "$output"
  case "$code" in
  0) printf '### `%s`\n\n%s\n\n<details><summary>All operations</summary>\n\n%s\n\n</details>\n\n' "$tenant" "$(summary "$output")" "$(fenced "$output" "$most")" >>"$REPORT" ;;
  5) printf '### ❌ `%s`: refused\n\n%s\n\n' "$tenant" "$(fenced "$output" "$most")" >>"$REPORT" ;;
  *) printf '### ❌ `%s`: not planned\n\n%s\n\n' "$tenant" "$(fenced "$output" "$most")" >>"$REPORT" ;;
  esac
  [ "$code" -eq 0 ]
}

# Writes status and name of each file that differs between a commit and this one.
changes() {
  git diff --no-renames --name-status -z "$1" HEAD -- taxonomies >"$RUNNER_TEMP/changes"
}

check() {
  BASE="$(git merge-base "$1" HEAD)"
  changes "$BASE"
  local entries=() failed=0 most i
  mapfile -d '' -t entries <"$RUNNER_TEMP/changes"
  local files=$((${#entries[@]} / 2))
  printf '%s\n## Taxonomies of this change\n\n' "$MARKER" >"$REPORT"
  if [ "${IS_FORK:-false}" = true ]; then
    printf 'This change comes from a fork, which gets no credentials: it is compared with the files of `%s`, not with what is served.\n\n' "${GITHUB_BASE_REF:-the branch}" >>"$REPORT"
  fi
  [ "$files" -gt 0 ] || printf 'No taxonomy differs.\n' >>"$REPORT"
  # Every section has its share, so that the last file is shown as well.
  most=$((files > 0 ? (LIMIT - 2000) / files - 400 : 0))
  ((most >= 300)) || most=300
  for ((i = 0; i < files; i++)); do
    if [ "$(wc -c <"$REPORT")" -gt $((LIMIT - 2000)) ]; then
      printf '%s\n' "... and $((files - i)) more files, which the log of the run shows." >>"$REPORT"
      REPORT=/dev/null
    fi
    section "${entries[2 * i]}" "${entries[2 * i + 1]}" "$most" || failed=$((failed + 1))
  done
  REPORT="$RUNNER_TEMP/taxonomy-report.md"
  cat "$REPORT" >>"$GITHUB_STEP_SUMMARY"
  if [ "$failed" -gt 0 ]; then
    echo "$failed of $files files are refused" >&2
    return 1
  fi
}

comment() {
  [ -f "$REPORT" ] || printf '%s\n## Taxonomies of this change\n\nThey were not checked: see the log of the run.\n' "$MARKER" >"$REPORT"
  local comments="repos/$GITHUB_REPOSITORY/issues/$1/comments" own
  own="$(gh api --paginate "$comments" --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$MARKER\"))) | .id" | head -n 1)"
  if [ -n "$own" ]; then
    gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$own" --field "body=@$REPORT"
  else
    gh api --silent --method POST "$comments" --field "body=@$REPORT"
  fi
}

publish() {
  local before="$1" failed=0 i file tenant code author reason
  if git rev-parse --quiet --verify "$before^{commit}" >/dev/null; then
    changes "$before"
  else
    git ls-files -z -- taxonomies | while IFS= read -r -d '' file; do printf 'A\0%s\0' "$file"; done >"$RUNNER_TEMP/changes"
  fi
  author="$(git log -1 --format=%an)"
  reason="$(git log -1 --format=%s)"
  local entries=()
  mapfile -d '' -t entries <"$RUNNER_TEMP/changes"
  printf '## Published taxonomies\n\n' >>"$GITHUB_STEP_SUMMARY"
  for ((i = 0; i < ${#entries[@]}; i += 2)); do
    file="${entries[i + 1]}" code=0
    if [ "${entries[i]}" = D ]; then
      continue
    fi
    if ! tenant="$(tenant_of "$file")"; then
      printf '%q is the file of no tenant\n' "$file" >&2
      failed=$((failed + 1))
      continue
    fi
    output="$(taxonomy push "$file" --tenant "$tenant" --release "$GITHUB_SHA" --author "${author:0:200}" --reason "${reason:0:200}" 2>&1)" || code=$?
    echo "$output"
    fenced "$output" 2000 >>"$GITHUB_STEP_SUMMARY"
    [ "$code" -eq 0 ] || failed=$((failed + 1))
  done
  if [ "$failed" -gt 0 ]; then
    echo "$failed files were not published; the last versions of their tenants are served on" >&2
    return 1
  fi
}

case "${1:-}" in
install | check | comment | publish) "$@" ;;
*) echo "usage: taxonomy.sh install | check BASE | comment NUMBER | publish BEFORE" >&2 && exit 2 ;;
esac
