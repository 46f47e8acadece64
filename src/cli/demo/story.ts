import { COLUMNS, csvOf, LISTS, type ListName, POSTAL_ADDRESS, SEQUENCES } from './content.ts'
import { DemoVisitor } from './visitor.ts'

export type Stage = {
  url: string
  smtpPort: number
  email: string
  password: string
  timeZone: string
  /** What the demo's catcher answers to its API. */
  askCatcher<T>(path: string): Promise<T>
}

type Ided = { id: string }

/** What the demo's people do, each by the API that the pages call. */
export class Story {
  readonly #stage: Stage
  readonly #owner: DemoVisitor
  readonly #lists = new Map<ListName, string>()
  readonly #sequences = new Map<keyof typeof SEQUENCES, string>()

  constructor(stage: Stage) {
    this.#stage = stage
    this.#owner = new DemoVisitor(stage.url)
  }

  async moveIn(): Promise<void> {
    const { email, password, timeZone } = this.#stage
    await this.#owner.ask('POST', '/api/setup', {
      ...{ name: 'Olivia Owner', email, password, workspaceName: 'Demo Ltd', timeZone },
    })
    await this.#join('adam@demo.example', 'Adam Admin', 'admin')
    await this.#join('mia@demo.example', 'Mia Member', 'member')
    const { workspace } = await this.#owner.ask<{ workspace: Ided }>('GET', '/api/session')
    await this.#owner.ask('PATCH', `/api/workspaces/${workspace.id}`, { postalAddress: POSTAL_ADDRESS })
    const {
      nextTimeZone: _zone,
      nextTimeZoneAt: _at,
      version: _version,
      ...settings
    } = await this.#owner.ask<Record<string, unknown>>('GET', '/api/settings/sending')
    // A pause of three quarters of an hour or so, so that a day's emails are spread over the day and one sees them leave.
    await this.#owner.ask('PUT', '/api/settings/sending', {
      ...settings,
      ...{ sendingDays: [1, 2, 3, 4, 5, 6, 7], windowStartMinute: 7 * 60, windowEndMinute: 21 * 60 },
      ...{ dailyQuota: 60, jitterMinSeconds: 2400, jitterMaxSeconds: 3600 },
    })
    for (const [name, steps] of Object.entries(SEQUENCES) as [keyof typeof SEQUENCES, object][])
      this.#sequences.set(name, (await this.#owner.ask<Ided>('POST', '/api/sequences', steps)).id)
  }

  async #join(email: string, name: string, role: string): Promise<void> {
    await this.#owner.ask('POST', '/api/invitations', { email, role })
    const token = /#token=([\w-]+)/.exec(await this.#mailTo(email))?.[1]
    if (!token) throw new Error(`no invitation was mailed to ${email}`)
    const newPerson = { name, password: this.#stage.password }
    await new DemoVisitor(this.#stage.url).ask('POST', '/api/invitations/accept', { token, newPerson })
  }

  async #mailTo(email: string): Promise<string> {
    const found = await this.#stage.askCatcher<{ messages: Ided[] }>(`/api/messages?to=${encodeURIComponent(email)}`)
    const [message] = found.messages
    return message ? (await this.#stage.askCatcher<{ text: string }>(`/api/messages/${message.id}`)).text : ''
  }

  connect(name: string, dailyLimit: number, username: string | null): Promise<unknown> {
    return this.#owner.ask('POST', '/api/mailboxes', {
      ...{ address: `${name}@demo.example`, displayName: 'Demo Ltd', dailyLimit },
      smtp: {
        ...{ host: '127.0.0.1', port: this.#stage.smtpPort, security: 'NONE', username },
        ...(username ? { password: 'a demo password' } : {}),
      },
    })
  }

  /** Through what plays Google, as a person does: agrees to all that is asked for, and comes back. */
  async connectGmail(name: string, dailyLimit: number): Promise<void> {
    const { url } = await this.#owner.ask<{ url: string }>('POST', '/api/mailboxes/gmail/connect', {})
    const ask = new URL(url).searchParams
    const body = new URLSearchParams({ ask: ask.toString(), email: `${name}@demo.example`, answer: 'allow' })
    for (const scope of (ask.get('scope') ?? '').split(' ')) body.append('scope', scope)
    const answer = await fetch(new URL('/consent', url), { method: 'POST', body, redirect: 'manual' })
    const back = new URL(answer.headers.get('location') ?? '').searchParams
    const { mailbox } = await this.#owner.ask<{ mailbox: Ided }>('POST', '/api/mailboxes/gmail/callback', {
      ...{ state: back.get('state'), code: back.get('code') },
    })
    await this.#owner.ask('PATCH', `/api/mailboxes/${mailbox.id}`, { displayName: 'Demo Ltd', dailyLimit })
  }

  async bringIn(...names: readonly ListName[]): Promise<void> {
    for (const name of names) {
      const { id } = await this.#owner.ask<Ided>('POST', '/api/lists', { name })
      this.#lists.set(name, id)
      const file = `${name.toLowerCase().replaceAll(' ', '-')}.csv`
      const { report } = await this.#owner.upload<{ report: { created: number } }>(
        '/api/prospects/import',
        file,
        csvOf(name),
        { columns: COLUMNS, onKnown: 'update', listId: id },
      )
      if (report.created !== LISTS[name]) throw new Error(`${report.created} of ${LISTS[name]} came from ${file}`)
    }
  }

  /** Without a list, it stays a draft; with a time, it begins by itself then. */
  async campaign(name: string, sequence: keyof typeof SEQUENCES, list?: ListName, startsAt?: Date): Promise<string> {
    const { id } = await this.#owner.ask<Ided>('POST', '/api/campaigns', {
      ...{ name, sequenceId: this.#sequences.get(sequence) },
    })
    if (!list) return id
    await this.#owner.ask('POST', `/api/campaigns/${id}/prospects`, { listIds: [this.#lists.get(list)] })
    await this.#owner.ask('POST', `/api/campaigns/${id}/launch`, startsAt ? { scheduledAt: startsAt } : {})
    return id
  }

  pause(id: string): Promise<unknown> {
    return this.#owner.ask('POST', `/api/campaigns/${id}/pause`)
  }

  /** Readers who have enough use the way out that stands in their email. */
  async someLeave(count: number): Promise<void> {
    const { messages } = await this.#stage.askCatcher<{ messages: Ided[] }>('/api/messages?limit=40')
    let left = 0
    for (const { id } of messages) {
      if (left === count) return
      const { oneClickUrl } = await this.#stage.askCatcher<{ oneClickUrl?: string | null }>(`/api/messages/${id}`)
      if (!oneClickUrl) continue
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' })
      const { ok } = await fetch(oneClickUrl, { method: 'POST', body })
      if (ok) left += 1
    }
  }
}
