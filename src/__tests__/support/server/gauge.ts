import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { newId } from '#lib/platform/id.ts'

export type Reading = {
  /** Of the thread that serves everybody, since the process began. */
  cpuMs: number
  heapUsed: number
  external: number
  rss: number
  /** Sockets, servers, files and processes that are open. */
  handles: number
}

/** A look into the server's process (`testApp(gauge.env)`), which changes nothing in it but for the looking. */
export class Gauge {
  readonly #path = join(tmpdir(), `sendonce-gauge-${newId()}`)
  #socket: Socket | undefined

  get env(): Record<string, string> {
    const preload = pathToFileURL(join(import.meta.dirname, 'gauge-process.mjs')).href
    return { NODE_OPTIONS: `--import=${preload}`, GAUGE_SOCKET: this.#path }
  }

  read(): Promise<Reading> {
    return this.#ask('now')
  }

  /** What is left after everything that nobody holds was thrown away. */
  readTidied(): Promise<Reading> {
    return this.#ask('tidy')
  }

  close(): void {
    this.#socket?.destroy()
  }

  async #ask(word: string): Promise<Reading> {
    if (!this.#socket) {
      this.#socket = connect(this.#path)
      await once(this.#socket, 'connect')
    }
    this.#socket.write(word)
    const [line] = (await once(this.#socket, 'data')) as [Buffer]
    return JSON.parse(line.toString()) as Reading
  }
}
