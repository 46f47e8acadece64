import type { ApiResponse } from '#lib/platform/api-response.ts'

/** A person at the built server, without a browser: the cookies, and the headers that a browser would send. */
export class HttpPerson {
  readonly #cookies = new Map<string, string>()
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  /** As the header says it. */
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async call(method: string, address: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ origin: this.url, 'sec-fetch-site': 'same-origin', cookie: this.cookie })
    if (init.body !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value)
    const response = await fetch(this.url + address, { redirect: 'manual', ...init, method, headers })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0\b/i.test(line)) this.#cookies.delete(name)
      else this.#cookies.set(name, value)
    }
    return response
  }

  /** For calls that must succeed; answers their data. */
  async ask<T = unknown>(method: string, address: string, body?: unknown): Promise<T> {
    const response = await this.call(method, address, body === undefined ? {} : { body: JSON.stringify(body) })
    const answer = (await response.json()) as ApiResponse<T>
    if (!answer.success) throw new Error(`${method} ${address} answered ${response.status}: ${answer.error.message}`)
    return answer.data
  }
}
