import { randomBytes } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeWhole } from './durable-file.ts'
import { idSequence, receivedAtOf } from './id.ts'
import { emlName, loadSummaries, sidecarName } from './load.ts'
import { type Envelope, HEADER_BYTES_MAX, type Summary, summarise } from './summary.ts'

export type Filter = { to?: string; subject?: string; words?: string }

/** Mails on disk, `<id>.eml` with `<id>.json` beside it, and their summaries in memory. */
export type Store = {
  /** When this returns, the mail survives kill -9 and a power cut. Throws `TooLarge`, having read the body to its end. */
  add(envelope: Envelope, body: AsyncIterable<Buffer>): Promise<Summary>
  /** Newest first. */
  find(filter: Filter): Summary[]
  get(id: string): { summary: Summary; newerId: string | undefined; olderId: string | undefined } | undefined
  read(id: string): Promise<Buffer>
  stream(id: string): ReadStream
  clear(): Promise<number>
  size(): number
  /** Whether older mails have had to make room for newer ones. */
  isFull(): boolean
  messagesMax: number
  /** Changes whenever the list does. */
  revision(): string
}

export class TooLarge extends Error {}

export async function openStore(dir: string, limits: { messagesMax: number; bytesMax: number }): Promise<Store> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const summaries = await loadSummaries(dir)
  const nextId = idSequence(summaries.at(-1)?.id)
  const openedAs = randomBytes(4).toString('hex')
  let changes = 0

  const emlPath = (id: string) => join(dir, emlName(id))
  const sidecarPath = (id: string) => join(dir, sidecarName(id))

  async function unlink(id: string) {
    await rm(emlPath(id), { force: true })
    await rm(sidecarPath(id), { force: true })
  }

  async function makeRoom() {
    const surplus = summaries.splice(0, Math.max(0, summaries.length - limits.messagesMax))
    for (const { id } of surplus) await unlink(id)
  }

  await makeRoom()

  return {
    async add(envelope, body) {
      const id = nextId()
      const beginning: Buffer[] = []
      let bytes = 0
      async function* measured() {
        for await (const chunk of body) {
          if (bytes < HEADER_BYTES_MAX) beginning.push(chunk)
          bytes += chunk.length
          // Read on to the end of an oversized mail: the client hears the refusal only then.
          if (bytes <= limits.bytesMax) yield chunk
        }
        if (bytes > limits.bytesMax) throw new TooLarge(`The mail is larger than ${limits.bytesMax} bytes`)
      }
      try {
        await writeWhole(emlPath(id), measured())
        const summary = await summarise({ id, receivedAt: receivedAtOf(id), bytes }, envelope, Buffer.concat(beginning))
        await writeWhole(sidecarPath(id), [JSON.stringify(summary)])
        await syncFolder(dir)
        insertById(summaries, summary)
        changes++
        // The mail is safe: that an older one cannot be removed is no reason to refuse it.
        await makeRoom().catch((error: Error) => console.error(`Could not remove older mails: ${error.message}`))
        return summary
      } catch (error) {
        await unlink(id)
        throw error
      }
    },

    find: (filter) => summaries.filter((summary) => matches(summary, filter)).reverse(),

    get(id) {
      const index = summaries.findIndex((summary) => summary.id === id)
      const summary = summaries[index]
      return summary && { summary, newerId: summaries[index + 1]?.id, olderId: summaries[index - 1]?.id }
    },

    read: (id) => readFile(emlPath(id)),
    stream: (id) => createReadStream(emlPath(id)),

    async clear() {
      const cleared = summaries.splice(0)
      changes++
      for (const { id } of cleared) await unlink(id)
      return cleared.length
    },

    size: () => summaries.length,
    isFull: () => summaries.length >= limits.messagesMax,
    messagesMax: limits.messagesMax,
    revision: () => `${openedAs}-${changes}`,
  }
}

/** Mails are stored side by side, so one that began earlier may be done later. */
function insertById(summaries: Summary[], summary: Summary) {
  const after = summaries.findLastIndex((other) => other.id < summary.id)
  summaries.splice(after + 1, 0, summary)
}

function matches({ from, to, subject }: Summary, filter: Filter): boolean {
  const contains = (text: string, part: string) => text.toLowerCase().includes(part.toLowerCase())
  if (filter.to && !to.some((address) => contains(address, filter.to ?? ''))) return false
  if (filter.subject && !contains(subject, filter.subject)) return false
  const words = filter.words?.split(/\s+/).filter(Boolean) ?? []
  return words.every((word) => [from, subject, ...to].some((text) => contains(text, word)))
}
