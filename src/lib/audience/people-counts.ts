/**
 * How many people workspaces, lists and campaigns have (these by state, with their steps): what is kept, with what ticks have
 * not added up yet, in one statement. Who is hidden is counted with them. `owner` compares the id of any of these.
 */
export const peopleCells = (
  owner: string,
) => `SELECT owner_id, state, people, steps FROM people_counts WHERE owner_id ${owner}
    UNION ALL SELECT owner_id, state, people, steps FROM people_count_changes WHERE owner_id ${owner}`

/** Of one owner. */
export const peopleOf = (owner: string) =>
  `(SELECT coalesce(sum(people), 0)::int FROM (${peopleCells(`= ${owner}`)}) kept)`
