/** Up to how many people of a cell ticks count; larger cells are left to the doctor. */
const COUNTED_BY_TICKS = 10_000

/** What triggers appended and no tick has added up yet belongs to the count as well. */
const CHANGES = `(SELECT coalesce(sum(c.people), 0) AS people, coalesce(sum(c.steps), 0) AS steps
  FROM people_count_changes c WHERE c.owner_id = n.owner_id AND c.state = n.state)`

const THERE = `(SELECT count(*) AS people, coalesce(sum(one.steps), 0) AS steps FROM (
    SELECT cp.planned_steps AS steps FROM campaign_prospects cp
    WHERE cp.campaign_id = n.owner_id AND cp.state = nullif(n.state, '')::enrolment_state
    UNION ALL SELECT 0 FROM prospects p WHERE n.state = '' AND p.workspace_id = n.owner_id
    UNION ALL SELECT 0 FROM list_members m WHERE n.state = '' AND m.list_id = n.owner_id) one)`

export const IS_MISCOUNTED = `CASE WHEN n.people <= ${COUNTED_BY_TICKS} THEN
  (SELECT (n.people + c.people, n.steps + c.steps) <> (t.people, t.steps) FROM ${CHANGES} c, ${THERE} t) END`

/** An enrolment that no cell counts. */
export const HAS_NO_COUNT = `CASE WHEN NOT EXISTS (SELECT FROM people_counts n WHERE n.owner_id = cp.campaign_id AND n.state = cp.state::text)
  THEN coalesce((SELECT sum(c.people) FROM people_count_changes c WHERE c.owner_id = cp.campaign_id AND c.state = cp.state::text), 0) < 1 END`

/** All cells at once: what is counted less what is there. */
export const MISCOUNTED = `SELECT concat_ws(' ', owner_id, nullif(state, '')) AS id FROM (
    SELECT owner_id, state, people, steps FROM people_counts
    UNION ALL SELECT owner_id, state, people, steps FROM people_count_changes
    UNION ALL SELECT owner_id, state, -people, -steps FROM people_as_they_are
  ) cells GROUP BY owner_id, state HAVING sum(people) <> 0 OR sum(steps) <> 0`
