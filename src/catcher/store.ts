import { randomBytes } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Envelope, type Summary, summarise } from './message.ts'

export type Filter = { to?: string; subject?: string; words?: string }
export type Store = Awaited<ReturnType<typeof openStore>>

const CAUGHT = 'X-Caught: '

/** Mails on disk, one file each, and their summaries in memory. A file is its summary on one line, and then the mail. */
export async function openStore(dir: string, messagesMax: number) {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const pathOf = (id: string) => join(dir, `${id}.eml`)
  const summaries: Summary[] = []
  for (const name of (await readdir(dir)).sort()) {
    const id = /^([0-9a-z]{17,20})\.eml$/.exec(name)?.[1]
    if (id) summaries.push((await readStored(id)).summary)
    else if (name.endsWith('.eml.tmp')) await rm(join(dir, name), { force: true }) // left by a crash
  }
  let lastMs = Number.parseInt(summaries.at(-1)?.id.slice(0, 9) ?? '0', 36)

  async function readStored(id: string): Promise<{ summary: Summary; raw: Buffer }> {
    const file = await readFile(pathOf(id))
    const end = file.indexOf('\n') + 1
    const line = file.toString('utf8', 0, end)
    if (!line.startsWith(CAUGHT)) return { summary: await summarise(id, undefined, file), raw: file }
    return { summary: JSON.parse(line.slice(CAUGHT.length)), raw: file.subarray(end) }
  }

  async function makeRoom() {
    for (const { id } of summaries.splice(0, Math.max(0, summaries.length - messagesMax))) await rm(pathOf(id))
  }

  await makeRoom()
  return {
    messagesMax,

    /** When this answers, the mail survives kill -9 and a power cut. */
    async add(envelope: Envelope, raw: Buffer): Promise<string> {
      // Ids sort by the time they were given out, also within a millisecond and when the clock is set back.
      lastMs = Math.max(Date.now(), lastMs + 1)
      const id = lastMs.toString(36).padStart(9, '0') + randomBytes(4).toString('hex')
      const summary = await summarise(id, envelope, raw)
      await writeDurably(dir, pathOf(id), Buffer.concat([Buffer.from(`${CAUGHT}${JSON.stringify(summary)}\n`), raw]))
      // Mails are stored side by side, so one that began earlier may be done later.
      summaries.splice(summaries.findLastIndex((other) => other.id < id) + 1, 0, summary)
      await makeRoom()
      return id
    },

    /** Newest first. */
    find: (filter: Filter) => summaries.filter((summary) => matches(summary, filter)).reverse(),

    get(id: string) {
      const index = summaries.findIndex((summary) => summary.id === id)
      const summary = summaries[index]
      return summary && { summary, newerId: summaries[index + 1]?.id, olderId: summaries[index - 1]?.id }
    },

    read: async (id: string) => (await readStored(id)).raw,

    async clear() {
      const cleared = summaries.splice(0)
      for (const { id } of cleared) await rm(pathOf(id), { force: true })
      return cleared.length
    },

    size: () => summaries.length,
  }
}

/** The file is either whole or absent under its name, and the folder is synced too: else the rename may be forgotten. */
async function writeDurably(dir: string, path: string, content: Buffer) {
  try {
    await writeFile(`${path}.tmp`, content, { mode: 0o600, flush: true })
    await rename(`${path}.tmp`, path)
  } catch (error) {
    await rm(`${path}.tmp`, { force: true })
    throw error
  }
  const folder = await open(dir, 'r')
  await folder.sync().finally(() => folder.close())
}

function matches({ from, to, subject }: Summary, filter: Filter): boolean {
  const contains = (text: string, part = '') => text.toLowerCase().includes(part.toLowerCase())
  const words = filter.words?.split(/\s+/) ?? []
  return (
    (!filter.to || to.some((address) => contains(address, filter.to))) &&
    contains(subject, filter.subject) &&
    words.every((word) => [from, subject, ...to].some((text) => contains(text, word)))
  )
}
