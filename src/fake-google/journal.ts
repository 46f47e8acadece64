import { closeSync, existsSync, fdatasyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/** What has happened, in order. What was sent is here before anybody is told, and outlives whoever was killed. */
export type Happening = { at: number } & (
  | { event: 'granted'; email: string; subject: string; refreshToken: string; scopes: string[] }
  | { event: 'access'; refreshToken: string; accessToken: string; endsAt: number }
  /** The same grant under another token: the old one is good no more. */
  | { event: 'rotated'; from: string; to: string }
  | { event: 'revoked'; email: string }
  /** So many asked for tokens at one moment. */
  | { event: 'asked-together'; count: number }
  | { event: 'drafted'; email: string; draftId: string; messageId: string; threadId: string; raw: string }
  | { event: 'draft-deleted'; email: string; draftId: string }
  | {
      event: 'sent'
      email: string
      /** Null where it went without a draft. */
      draftId: string | null
      id: string
      threadId: string
      messageId: string
      /** The sender's own, by which it knows its message again. */
      ownId: string | null
      to: string[]
      raw: string
    }
)

export class Journal {
  readonly #fd: number

  constructor(file: string) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    this.#fd = openSync(file, 'a', 0o600)
  }

  /** On the disk once it returns. */
  write(happening: Happening): void {
    writeSync(this.#fd, `${JSON.stringify(happening)}\n`)
    fdatasyncSync(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
}

/** The last line of a process that was killed may be half written. */
export function readJournal(file: string): Happening[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Happening)
}
