const people = (count: unknown) => {
  const number = typeof count === 'number' ? count : 0
  return `${number.toLocaleString('en')} ${number === 1 ? 'person' : 'people'}`
}

const WORDS: Record<string, (details: Record<string, unknown>) => string> = {
  'campaign.launched': ({ startsAt }) => (startsAt ? 'launched it for a later time.' : 'launched it.'),
  'campaign.paused': () => 'paused it.',
  'campaign.resumed': () => 'resumed it.',
  'campaign.stopped': () => 'stopped it for good.',
  'campaign.archived': () => 'archived it.',
  'campaign.restored': () => 'brought it back from the archive.',
  'campaign.duplicated': () => 'made a copy of it.',
  'campaign.changed': () => 'changed its settings.',
  'campaign.people-added': ({ people: added }) => `added ${people(added)}.`,
  'campaign.people-changed': ({ action, people: changed }) =>
    `${typeof action === 'string' ? ACTIONS[action] : 'changed'} ${people(changed)}.`,
}

const ACTIONS: Record<string, string> = {
  paused: 'paused',
  resumed: 'resumed',
  removed: 'took out',
  'put back': 'put back',
}

/** "paused it." Of an act that this version does not know, its name. */
export function actWords(action: string, details: Record<string, unknown>): string {
  return WORDS[action]?.(details) ?? action
}
