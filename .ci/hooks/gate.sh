# What every commit passes on its way to main; read by the hooks beside it. `npm test` points git here.
# A hook is told of the repository by variables, which would mislead the git commands of the tests.

say() { printf '%s\n' "$*" >&2; }

refuse_conflict_markers() {
  marked=$(git grep --cached -IlE '^(<<<<<<<|>>>>>>>|[|]{7}|=======)( |$)' || true)
  [ -z "$marked" ] && return
  say 'Not committed: these files still hold the marks of a merge conflict. Resolve them, then commit again.'
  say "$marked"
  exit 1
}

# What lies here is what is tested, so it has to be what is committed: a file that was not added would pass unseen.
refuse_uncommitted() {
  left=$(git ls-files --modified --deleted --others --exclude-standard | sort -u)
  [ -z "$left" ] && return
  say 'Not committed: what lands on main is tested as it lies here, and these files would not be part of the commit.'
  say 'Add them, or put them aside with: git stash --keep-index --include-untracked'
  say "$left"
  exit 1
}

# A tree that has passed is known by its id, so that amending a message or pushing costs nothing.
pass_gate() {
  tree=$1
  passed="$(git rev-parse --absolute-git-dir)/gate-passed"
  [ "$(cat "$passed" 2>/dev/null)" = "$tree" ] && return
  say 'Types, lint, unit and architecture tests, before this lands on main…'
  if (
    unset $(git rev-parse --local-env-vars)
    PATH="$PATH:$PWD/node_modules/.bin" node src/cli/bootstrap.mjs gate </dev/null >&2
  ); then
    printf '%s\n' "$tree" >"$passed"
    return
  fi
  say 'Nothing lands on main: mend what is told above, and try again.'
  exit 1
}
