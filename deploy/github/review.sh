#!/usr/bin/env bash
# Reviews the policies of a pull request. All that it is told comes by the environment, where nothing is taken for a
# command. Its exit code is that of admitctl review.
set -euo pipefail

marker='<!-- admitctl review -->' # the first line of the comment that is kept up to date

# quietly prints what others wrote, in which the runner must see no commands.
quietly() {
  local word
  word=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf '::stop-commands::%s\n' "$word"
  cat
  printf '\n::%s::\n' "$word"
}

policies=${REVIEW_POLICIES:-policies}
base=${REVIEW_BASE:-}
if [[ -z $base ]]; then
  if [[ -z ${GITHUB_BASE_REF:-} ]]; then
    echo '::error title=admitctl review::this is no pull request; name the policies before the change: base'
    exit 2
  fi
  base=git:refs/remotes/origin/$GITHUB_BASE_REF:$policies
fi
head=${REVIEW_HEAD:-git:HEAD:$policies}

flags=(--base "$base" --head "$head" --fail-on "${REVIEW_FAIL_ON:-none}")
if [[ -n ${REVIEW_FIXTURES:-} ]]; then
  flags+=(--fixtures "$REVIEW_FIXTURES")
fi
while IFS= read -r file; do
  if [[ -n $file ]]; then
    flags+=(--thresholds "$file")
  fi
done <<< "${REVIEW_THRESHOLDS:-}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

code=0
admitctl review "${flags[@]}" -f github 2> "$work/errors" || code=$?
if [[ -s $work/errors ]]; then
  quietly < "$work/errors"
fi
if [[ $code == 2 ]]; then
  echo '::error title=admitctl review::there is no verdict; the log of the step says why'
fi

# comment writes the report, over the one of the last run where there is one.
comment() {
  local report=$work/report.md there
  {
    printf '%s\n' "$marker"
    admitctl review "${flags[@]}" -f markdown 2> "$work/errors" || [[ $? == 1 ]]
  } > "$report" || return
  there=$(gh api --paginate "repos/$GITHUB_REPOSITORY/issues/$REVIEW_PULL_REQUEST/comments" \
    --jq ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | head -n 1) || return
  if [[ -n $there ]]; then
    gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$there" -F "body=@$report" > "$work/answer" || return
  else
    gh api --method POST "repos/$GITHUB_REPOSITORY/issues/$REVIEW_PULL_REQUEST/comments" -F "body=@$report" > "$work/answer" || return
  fi
}

if [[ ${REVIEW_COMMENT:-false} == true && $code != 2 ]]; then
  if [[ ! ${REVIEW_PULL_REQUEST:-} =~ ^[0-9]+$ ]]; then
    echo '::warning title=admitctl review::this is no pull request: there is nothing to comment on'
  elif ! comment 2> "$work/refused"; then
    echo '::warning title=admitctl review::the comment could not be written. It needs pull-requests: write, which a pull request from a fork never has; the report is in the summary of the step'
    quietly < "$work/refused"
  fi
fi
exit "$code"
