const CURSOR = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)_([0-9a-f-]{36})$/

/** Where a page of rows behind a figure ended. */
export const cursorOf = ({ due, id }: { due: Date; id: string }) => `${due.toISOString()}_${id}`

export function readCursor(text: string): { at: Date; id: string } | undefined {
  const [, at, id] = CURSOR.exec(text) ?? []
  return at && id && !Number.isNaN(Date.parse(at)) ? { at: new Date(at), id } : undefined
}
