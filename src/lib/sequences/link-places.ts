import type { AttributeValue, LinkPlace, Nowhere } from './field-place.ts'

const BORDER: Nowhere = {
  kind: 'nowhere',
  sentence:
    'A field cannot stand in the host of a link, or right behind it: its value would choose where the link leads. End the host with a slash before the field, as in https://example.com/.',
}
const NOT_BEGUN: Nowhere = {
  kind: 'nowhere',
  sentence: 'A field cannot stand in a link that does not begin with https://.',
}
const BEGINS: Nowhere = {
  kind: 'nowhere',
  sentence:
    'A link cannot begin with a field: its value would choose where the link leads. Write the beginning of the address yourself, as in https://acme.example/{{custom.path}}.',
}
const NO_WHOLE_ADDRESS: Nowhere = {
  kind: 'nowhere',
  sentence: 'A field in a mailto: link is either the whole address or stands behind the question mark.',
}

/** A host, a port and a user as they are written; what ends them is written too. Backslashes are slashes to browsers alone. */
const HOST_IS_WRITTEN = /^https?:\/\/[^\s/?#\\]+([/?#])/i

/**
 * What is known of a link at the place of a field. `address`: the field before was all of a mail address so far, and
 * what follows must show that it has ended there.
 */
type State = 'unknown' | 'address' | 'path' | 'query' | 'number' | Nowhere

/** The place of each field in a link whose entities are read: a text, a field, a text… in their order. */
export function readLink(value: AttributeValue, quoted: boolean): (LinkPlace | Nowhere)[] {
  const places: (LinkPlace | Nowhere)[] = []
  let state: State = 'unknown'
  let written = ''
  for (const piece of value) {
    if (typeof piece === 'string') {
      if (piece === '') continue
      if (state === 'unknown') written += piece
      else if (state === 'path' && /[?#]/.test(piece)) state = 'query'
      else if (state === 'address' && piece.startsWith('?')) state = 'query'
      else if (state === 'address' && piece.trim() !== '') {
        places[places.length - 1] = NO_WHOLE_ADDRESS
        state = NO_WHOLE_ADDRESS
      }
      continue
    }
    if (state === 'unknown') state = begun(written)
    else if (state === 'address') state = NO_WHOLE_ADDRESS
    places.push(placeIn(state, quoted))
  }
  return places
}

/** What the text before its first field says of a link. */
function begun(text: string): State {
  const written = text.trimStart()
  if (written === '') return BEGINS
  if (/^#/.test(written)) return 'query'
  if (/^(tel|sms):/i.test(written)) return written.includes('?') ? 'query' : 'number'
  if (/^mailto:/i.test(written)) {
    if (written.includes('?')) return 'query'
    return /^mailto:\s*$/i.test(written) ? 'address' : NO_WHOLE_ADDRESS
  }
  if (!/^https?:\/\//i.test(written)) return NOT_BEGUN
  const end = HOST_IS_WRITTEN.exec(written)?.[1]
  if (end === undefined) return BORDER
  return end !== '/' || /[?#]/.test(written) ? 'query' : 'path'
}

function placeIn(state: State, quoted: boolean): LinkPlace | Nowhere {
  if (typeof state === 'object') return state
  return { kind: 'part-of-link', quoted, part: state === 'unknown' ? 'query' : state }
}
