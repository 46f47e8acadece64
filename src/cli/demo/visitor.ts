/** A person who uses the demo's API as the pages do: signed in by a cookie, from its own address. */
export class DemoVisitor {
  readonly #url: string
  #cookie = ''

  constructor(url: string) {
    this.#url = url
  }

  ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
    return this.#call(path, { method, ...(body === undefined ? {} : json) })
  }

  upload<T = unknown>(path: string, name: string, csv: string, options: unknown): Promise<T> {
    const body = new FormData()
    body.set('options', JSON.stringify(options))
    body.set('file', new Blob([csv], { type: 'text/csv' }), name)
    return this.#call(path, { method: 'POST', body })
  }

  async #call<T>(path: string, request: RequestInit): Promise<T> {
    const response = await fetch(`${this.#url}${path}`, {
      ...request,
      headers: { origin: this.#url, cookie: this.#cookie, ...request.headers },
    })
    const set = response.headers.getSetCookie().map((one) => one.split(';')[0])
    if (set.length > 0) this.#cookie = set.join('; ')
    const answer = (await response.json()) as
      | { success: true; data: T }
      | { success: false; error: { message: string } }
    if (!answer.success)
      throw new Error(`${request.method} ${path} answered ${response.status}: ${answer.error.message}`)
    return answer.data
  }
}
