/** Of a journey `j`: something of it is still to come, whatever becomes of its emails. */
export const ON_THE_WAY = `j.state IN ('PLAN', 'MOVING', 'WAITING', 'BRANCH')`

/** Of a journey `j`: it has not ended. Each state by its name, since they stand in an index behind the campaign. */
export const UNDER_WAY = `j.state IN ('PLAN', 'EMAIL', 'MOVING', 'WAITING', 'BRANCH')`

/** Of a campaign: its sequence does not branch, and every planned person gets all of its steps. */
export const FOLLOW_ONE_ANOTHER = (campaign: string) =>
  `NOT EXISTS (SELECT FROM sequences q WHERE q.id = ${campaign}.sequence_id AND q.graph IS NOT NULL)`
