/** Where in HTML a field stands: what its value must be made into so that it can only ever be what it stands for there. */
export type FieldPlace = (
  | { kind: 'text' }
  | { kind: 'attribute'; quoted: boolean }
  | LinkPlace
  | { kind: 'comment' }
  | Nowhere
) & {
  /** Outlook reads what is inside `<!--[if mso]>`, and everything else must read a comment. */
  inComment?: true
}

/** The field goes on with a link whose beginning, up to the end of its host, is written. */
export type LinkPlace = { kind: 'part-of-link'; quoted: boolean; part: 'path' | 'query' | 'address' | 'number' }

export type Nowhere = { kind: 'nowhere'; sentence: string }

/** The value of an attribute whose entities are read: texts, and fields by their numbers. */
export type AttributeValue = readonly (string | { field: number })[]

export function nowhere(where: string): Nowhere {
  return { kind: 'nowhere', sentence: `A field cannot stand ${where}.` }
}
