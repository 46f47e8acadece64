import { PublicError } from '#lib/platform/api-response.ts'

/** Each may occupy fifty megabytes of disk, for as long as it takes to arrive and to be imported. */
const PLACES = 20
const PLACES_OF_ONE_WORKSPACE = 4

const taken = new Map<string, number>()

/** How many files come in at once, in this process: one workspace cannot take the places of all others. */
export async function inUploadPlace<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
  const own = taken.get(workspaceId) ?? 0
  if (own >= PLACES_OF_ONE_WORKSPACE)
    throw new PublicError(
      429,
      'too-many-uploads',
      `At most ${PLACES_OF_ONE_WORKSPACE} files of a workspace are imported at once. Wait until one of them is done.`,
    )
  if ([...taken.values()].reduce((sum, count) => sum + count, 0) >= PLACES)
    throw new PublicError(503, 'too-busy', 'Too many files are being imported at once. Try again in a minute.')
  taken.set(workspaceId, own + 1)
  try {
    return await work()
  } finally {
    const left = (taken.get(workspaceId) ?? 1) - 1
    if (left > 0) taken.set(workspaceId, left)
    else taken.delete(workspaceId)
  }
}
