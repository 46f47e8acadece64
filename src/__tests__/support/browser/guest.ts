import { setTimeout as sleep } from 'node:timers/promises'
import type { APIResponse, Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { ApiResponse } from '#lib/platform/api-response.ts'
import type { TestApp } from '#tests/support/server/app.ts'

export const PASSWORD = 'correct horse battery'

/** A person with a browser of their own, who can also ask the API with the cookies of that browser. */
export class Guest {
  readonly app: TestApp
  readonly context: BrowserContext
  /** Errors and warnings of the console, and what broke, on any of the pages. */
  readonly complaints: string[] = []
  /** The status codes that a story provokes on purpose; the browser's console repeats every one. */
  readonly expectedStatus = new Set<number>()

  constructor(app: TestApp, context: BrowserContext) {
    this.app = app
    this.context = context
    context.on('console', (message) => {
      const text = message.text()
      const status = Number(/status of (\d{3})/.exec(text)?.[1])
      if (!['error', 'warning'].includes(message.type()) || this.expectedStatus.has(status)) return
      this.complaints.push(`${message.type()}: ${text}`)
    })
    context.on('weberror', (error) => this.complaints.push(error.error().message))
  }

  static async enter(app: TestApp, browser: Browser, options: BrowserContextOptions = {}): Promise<Guest> {
    const context = await browser.newContext({
      baseURL: app.url,
      viewport: { width: 1440, height: 900 },
      timezoneId: 'Europe/Berlin',
      ...options,
    })
    context.setDefaultTimeout(60_000)
    return new Guest(app, context)
  }

  /** Opens an address in a new tab, and waits until the page listens. */
  async open(address: string): Promise<Page> {
    const page = await this.context.newPage()
    await page.goto(address)
    await untilListening(page)
    return page
  }

  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
    const response = await this.call(method, path, body)
    const answer: ApiResponse<T> = await response.json()
    if (!answer.success) throw new Error(`${method} ${path} answered ${response.status()}: ${answer.error.message}`)
    return answer.data
  }

  call(method: string, path: string, body?: unknown): Promise<APIResponse> {
    const headers = { origin: this.app.url, 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
    const data = method === 'GET' ? undefined : JSON.stringify(body ?? {})
    return this.context.request.fetch(path, { method, headers, data })
  }

  setUp(email = 'olga@example.com', workspaceName = 'Acme', name = 'Olga Owner') {
    return this.ask('POST', '/api/setup', { name, email, password: PASSWORD, workspaceName, timeZone: 'Europe/Berlin' })
  }

  signIn(email: string, password = PASSWORD) {
    return this.ask('POST', '/api/session', { email, password })
  }

  /** Comes in as a new person by the mail of an invitation. */
  async join(link: string, name: string) {
    const token = /#token=([\w-]+)/.exec(link)?.[1]
    await this.ask('POST', '/api/invitations/accept', { token, newPerson: { name, password: PASSWORD } })
  }

  leave() {
    return this.context.close()
  }
}

/**
 * Until a menu that was opened by a key has the focus on its first item: one pressed sooner is not for the items. Where the
 * key came before the page knew that a keyboard is used, the menu has the focus and no item of it, so one is asked for.
 */
export async function untilInMenu(page: Page): Promise<void> {
  await page.locator('[role="menu"]:focus, [role="menu"] :focus').waitFor()
  if (await page.locator('[role="menu"]:focus').isVisible()) await page.keyboard.press('Home')
  await page.locator('[role="menu"] [role^="menuitem"]:focus').waitFor()
}

/** A page that is only drawn yet would send a form the old way. */
export async function untilListening(page: Page): Promise<void> {
  await page.waitForFunction(() => {
    const place =
      document.querySelector('form') ??
      document.querySelector('main button, main a') ??
      document.querySelector('header button')
    return place !== null && Object.keys(place).some((key) => key.startsWith('__reactProps'))
  })
}

/** Presses one of a page's own keys, once the page listens to them: it may draw its rows some moments before. */
export async function pressPageKey(page: Page, key: string): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  // `usePageKeys` listens on the way down, by an effect event: React's wrapper of those tells it from Radix's listeners.
  const expression = `getEventListeners(document).keydown?.some(
    ({ useCapture, listener }) => useCapture && String(listener).includes('.impl.apply'))`
  for (let tries = 0; ; tries += 1) {
    const { result } = await devTools.send('Runtime.evaluate', { expression, includeCommandLineAPI: true })
    if (result.value === true) break
    if (tries === 600) throw new Error(`nobody listens to the keys of ${page.url()}`)
    await sleep(25)
  }
  await devTools.detach()
  await page.keyboard.press(key)
}

type Mail = { id: string; subject: string; text: string }

/** The newest mail to an address, once it is there. */
export async function mailTo(app: TestApp, email: string, subject = ''): Promise<Mail> {
  const query = new URLSearchParams({ to: email, subject })
  for (let tries = 0; tries < 200; tries += 1) {
    const { messages } = (await app.askCatcher(`/api/messages?${query}`)) as { messages: { id: string }[] }
    const id = messages[0]?.id
    if (id) return (await app.askCatcher(`/api/messages/${id}`)) as Mail
    await sleep(50)
  }
  throw new Error(`no mail to ${email} has come`)
}

/** The link of the newest mail to an address. */
export async function linkMailedTo(app: TestApp, email: string, subject = ''): Promise<string> {
  const link = /https?:\S+#token=[\w-]+/.exec((await mailTo(app, email, subject)).text)?.[0]
  if (!link) throw new Error(`the mail to ${email} holds no link`)
  return link
}

export async function mailCount(app: TestApp, email: string): Promise<number> {
  const query = new URLSearchParams({ to: email })
  const { matching } = (await app.askCatcher(`/api/messages?${query}`)) as { matching: number }
  return matching
}
