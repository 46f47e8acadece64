import { open, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ID_PATTERN, receivedAtOf } from './id.ts'
import { HEADER_BYTES_MAX, type Summary, summarise } from './summary.ts'

export const emlName = (id: string) => `${id}.eml`
export const sidecarName = (id: string) => `${id}.json`

/** Reads the folder again after a restart, oldest first, and clears away what a crash left half done. */
export async function loadSummaries(dir: string): Promise<Summary[]> {
  const names = new Set(await readdir(dir))
  const ids = [...names].flatMap((name) => idFrom(name, '.eml')).sort()
  const summaries: Summary[] = []
  for (const id of ids) summaries.push((await readSidecar(dir, id)) ?? (await rebuild(dir, id)))
  for (const name of names) {
    const orphaned = idFrom(name, '.json').some((id) => !names.has(emlName(id)))
    const unfinished = idFrom(name, '.eml.tmp').length > 0 || idFrom(name, '.json.tmp').length > 0
    if (orphaned || unfinished) await rm(join(dir, name), { force: true })
  }
  return summaries
}

function idFrom(name: string, ending: string): string[] {
  const id = name.slice(0, -ending.length)
  return name.endsWith(ending) && ID_PATTERN.test(id) ? [id] : []
}

async function readSidecar(dir: string, id: string): Promise<Summary | undefined> {
  try {
    const summary: Summary = JSON.parse(await readFile(join(dir, sidecarName(id)), 'utf8'))
    return summary.id === id ? summary : undefined
  } catch {
    return undefined
  }
}

/** The process died after the mail and before its sidecar: the envelope is lost, the headers have to do. */
async function rebuild(dir: string, id: string): Promise<Summary> {
  const path = join(dir, emlName(id))
  const { size: bytes } = await stat(path)
  const file = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEADER_BYTES_MAX), 0, HEADER_BYTES_MAX, 0)
    const start = buffer.subarray(0, bytesRead)
    return await summarise({ id, receivedAt: receivedAtOf(id), bytes }, { from: '', to: [] }, start)
  } finally {
    await file.close()
  }
}
