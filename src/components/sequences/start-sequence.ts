import { api } from '../api-client.ts'

/** Until a person names it. */
export const UNNAMED = 'New sequence'

/** A new sequence with one empty step, to be written in the editor. Answers where that is. */
export async function startSequence(workspaceId: string): Promise<string> {
  const { id } = await api('POST /api/sequences', { body: { name: UNNAMED, steps: [{}] }, workspaceId })
  return `/sequences/${id}`
}
