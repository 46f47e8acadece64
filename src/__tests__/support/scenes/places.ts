/** Where the scenes play: known once the world is made. */
export const links = {
  fresh: '',
  known: '',
  spent: '',
  sequence: '',
  launched: '',
  elsewhere: '',
  archived: '',
  template: '',
  newTemplate: '',
  archivedTemplate: '',
  draft: '',
  running: '',
  full: '',
  scheduled: '',
  ended: '',
  failed: '',
  unknown: '',
  waiting: '',
  webhook: '',
  delivery: '',
}
export const people = { ada: '', erased: '', merged: '', importId: '', unfinishedId: '' }
