#!/usr/bin/env bash
# The steps of workflows/taxonomy.yml. Each taxonomy is a file taxonomies/{tenant}.json.
#
#   taxonomy.sh install          puts `taxonomy` on the path of the steps behind
#   taxonomy.sh check            plans the files that a change differs in from its base; fails if one is refused
#   taxonomy.sh comment NUMBER   writes what `check` found under the change, always in the same comment
#   taxonomy.sh publish          pushes every file; those that are published already are passed over
#
# Names and texts come from files that anybody may propose. They reach programs as arguments and in files, never as code; the log
# between marks that keep the runner from obeying it; and a reader between fences that they cannot close.
set -euo pipefail
# Bytes, so that a limit is one. Programs get texts as they are.
export LC_ALL=C

MARKER='<!-- taxonomy: the comment that is written anew with each commit -->'
FOLDER="${RUNNER_TEMP:?}"
REPORT="$FOLDER/taxonomy-report.md"
# GitHub takes 65,536 characters; a character has at least one byte.
LIMIT=65000

install() {
  local packed="$FOLDER/taxonomy.tar.gz"
  curl --fail --location --silent --show-error --max-time 300 --output "$packed" "${ARCHIVE:?}"
  echo "${ARCHIVE_SHA256:?}  $packed" | sha256sum --check --strict --quiet
  mkdir -p "$FOLDER/taxonomy"
  tar -xzf "$packed" --strip-components=1 -C "$FOLDER/taxonomy"
  echo "$FOLDER/taxonomy/bin" >>"$GITHUB_PATH"
}

# Fails by name where a variable of the repository is not set.
need() {
  local name
  for name in "$@"; do
    [ -n "${!name:-}" ] || { echo "the variable $name of the repository is not set" >&2 && return 1; }
  done
}

# Prints a text into the log, where the runner would obey lines such as `::add-mask::`.
log() {
  local token
  token="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
  printf '::stop-commands::%s\n%s\n::%s::\n' "$token" "$1" "$token"
}

# Prints the tenant of a file; fails where its name is none's, or where it is a link, which may lead to what the runner alone should know.
tenant_of() {
  local name="${1#taxonomies/}"
  [[ "$name" =~ ^[A-Za-z0-9._~-]{1,64}\.json$ ]] && [ ! -L "$1" ] && printf '%s\n' "${name%.json}"
}

# Prints a text between fences, cut to so many bytes at the end of a line.
fenced() {
  local text="$1" most="$2" fence='```'
  while [[ "$text" == *"$fence"* ]]; do fence+='`'; done
  if ((${#text} > most)); then
    # A line that is longer than that is cut within, and so may be a character.
    text="$(iconv -c -f UTF-8 -t UTF-8 <<<"${text:0:most}" || true)"
    text="${text%$'\n'*}"$'\n\n... cut here: the log of the run has all of it'
  fi
  printf '%s\n%s\n%s\n' "$fence" "$text" "$fence"
}

# Prints a heading and a body as one section of the report.
section() {
  printf '### %s\n\n%s\n\n' "$1" "$2"
}

# Prints the section of a file; fails if the file is refused. Uses the log as its standard error.
planned() {
  local status="$1" file="$2" most="$3" tenant base output code=0
  if ! tenant="$(tenant_of "$file")"; then
    section '❌ A file that is no taxonomy of a tenant' "$(fenced "$file" "$most")"
    echo "Its name is \`taxonomies/{tenant}.json\`, where a tenant has 1 to 64 letters, digits, \`.\`, \`_\`, \`~\` and \`-\`, and it is no link."
    return 1
  fi
  if [ "$status" = D ]; then
    section "\`$tenant\`: the file is removed" "Nothing is published, and the last version is still served. \`taxonomy tenant purge\` deletes a tenant."
    return 0
  fi
  if [ "$IS_FORK" = true ]; then
    base=empty
    if [ "$status" = M ]; then
      base="$FOLDER/base.json"
      git show "HEAD^1:$file" >"$base"
    fi
    output="$(taxonomy plan "$file" --against "$base" --full 2>&1)" || code=$?
  else
    output="$(taxonomy plan "$file" --tenant "$tenant" --full 2>&1)" || code=$?
  fi
  log "$output" >&2
  case "$code" in
  0) section "\`$tenant\`" "$(grep -E '^(Terms:|Nothing)' <<<"$output" | tail -n 1)"$'\n\n<details><summary>All operations</summary>\n\n'"$(fenced "$output" "$most")"$'\n\n</details>' ;;
  5) section "❌ \`$tenant\`: refused" "$(fenced "$output" "$most")" ;;
  *) section "❌ \`$tenant\`: not planned" "$(fenced "$output" "$most")" ;;
  esac
  [ "$code" -eq 0 ]
}

check() {
  local entries=() failed=0 shown=0 files most text i
  if [ "$IS_FORK" != true ]; then
    need AWS_REGION TAXONOMY_STACK
  fi
  # The runner has the change merged into its base, which is the first parent.
  git diff --no-renames --name-status -z HEAD^1 HEAD -- taxonomies >"$FOLDER/changes"
  mapfile -d '' -t entries <"$FOLDER/changes"
  files=$((${#entries[@]} / 2))
  printf '%s\n## Taxonomies of this change\n\n' "$MARKER" >"$REPORT"
  if [ "$IS_FORK" = true ]; then
    printf 'The change comes from a fork, which gets no credentials: it is compared with the files of its base, not with what is served.\n\n' >>"$REPORT"
  fi
  [ "$files" -gt 0 ] || echo 'No taxonomy differs.' >>"$REPORT"
  # Every file has its share, so that the last one is shown as well.
  most=$((files > 0 ? (LIMIT - 2000) / files - 400 : 0))
  ((most >= 300)) || most=300
  for ((i = 0; i < files; i++)); do
    text="$(planned "${entries[2 * i]}" "${entries[2 * i + 1]}" "$most")" || failed=$((failed + 1))
    if (($(wc -c <"$REPORT") + ${#text} < LIMIT - 200)); then
      printf '%s\n\n' "$text" >>"$REPORT"
      shown=$((shown + 1))
    fi
  done
  ((shown == files)) || echo "... and $((files - shown)) more files, which the log of the run shows." >>"$REPORT"
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

# Prints a text as the version keeps it: 200 characters of ASCII.
kept() {
  local text="${1//[^ -~]/?}"
  printf '%s\n' "${text:0:200}"
}

publish() {
  local file output code=0
  need AWS_REGION TAXONOMY_STACK
  for file in taxonomies/*; do
    if ! tenant_of "$file" >/dev/null; then
      printf '%q is no taxonomy of a tenant, so nothing is published\n' "$file" >&2
      return 1
    fi
  done
  # All of them: a run that was cut off, or replaced by a newer one while it waited, left files behind.
  output="$(taxonomy push taxonomies --release="$GITHUB_SHA" --author="$(kept "$(git log -1 --format=%an)")" \
    --reason="$(kept "$(git log -1 --format=%s)")" 2>&1)" || code=$?
  log "$output"
  { printf '## Published taxonomies\n\n' && fenced "$output" 100000; } >>"$GITHUB_STEP_SUMMARY"
  return "$code"
}

case "${1:-}" in
install | check | comment | publish) "$@" ;;
*) echo "usage: taxonomy.sh install | check | comment NUMBER | publish" >&2 && exit 2 ;;
esac
