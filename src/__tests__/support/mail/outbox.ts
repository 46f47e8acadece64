import { Deadline } from '#lib/mail/deadline.ts'
import { keyring } from '#lib/wiring/keyring.ts'
import { sendingMeans } from '#lib/wiring/sending-means.ts'
import { sendDue } from '#lib/worker/send-due.ts'
import { settled, setUp, type TestApp, Visitor, whoAmI } from '#tests/support/server/in-process.ts'
import { silent } from '#tests/support/silent.ts'

export type SentEmail = {
  id: string
  result: string
  status: string
  attempts: number
  nextRetryAt: string | null
  wasThere?: boolean
}

/** A program with an API key, and the people who look after its emails. */
export class OutboxClient {
  readonly #app: TestApp
  readonly owner: Visitor
  readonly workspaceId: string
  readonly #key: string

  constructor(app: TestApp, owner: Visitor, workspaceId: string, key: string) {
    this.#app = app
    this.owner = owner
    this.workspaceId = workspaceId
    this.#key = key
  }

  /** In a workspace of its own, with one mailbox whose server is at `port`. */
  static async enter(app: TestApp, port: number): Promise<OutboxClient> {
    const owner = await setUp()
    const workspaceId = (await whoAmI(owner)).workspace?.id ?? ''
    const { key } = await owner.ask<{ key: string }>('POST', '/api/api-keys', {
      body: { name: 'Shop', scopes: ['send'] },
    })
    const client = new OutboxClient(app, owner, workspaceId, key)
    await client.addMailbox('shop@acme.test', port)
    return client
  }

  async addMailbox(address: string, port: number): Promise<string> {
    const { mailbox } = await this.owner.ask<{ mailbox: { id: string } }>('POST', '/api/mailboxes', {
      body: { address, test: false, smtp: { host: '127.0.0.1', port, security: 'NONE', username: '' } },
    })
    await this.sql(
      `UPDATE mailboxes SET status = 'CONNECTED', stopped_reason = NULL, daily_limit = 5000, rolling_limit = 5000 WHERE id = $1`,
      [mailbox.id],
    )
    await this.sql('UPDATE sending_settings SET ramp_up_enabled = false')
    return mailbox.id
  }

  call<T = SentEmail>(
    method: string,
    path: string,
    input: { body?: unknown; params?: Record<string, string>; key?: string } = {},
  ) {
    const { key, ...rest } = input
    const headers = { authorization: `Bearer ${this.#key}`, ...(key !== undefined && { 'idempotency-key': key }) }
    return new Visitor().call<T>(method, path, { ...rest, headers })
  }

  async send(body: object = {}, key?: string): Promise<SentEmail> {
    const answer = await this.call('POST', '/api/emails', {
      body: { to: 'zoe@example.test', subject: 'Your booking', text: 'It is confirmed.', ...body },
      ...(key !== undefined && { key }),
    })
    if (!answer.json?.success) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.json)}`)
    return answer.json.data
  }

  async read(id: string): Promise<SentEmail> {
    const { json } = await this.call('GET', '/api/emails/[id]', { params: { id } })
    if (!json?.success) throw new Error(JSON.stringify(json))
    return json.data
  }

  sql(text: string, values: unknown[] = []) {
    return this.#app.db.pool.query(text, values)
  }

  /** What a worker does, as the product has it. */
  async tick() {
    await settled()
    const limits = { connections: 5, leaseMs: 60_000, submitMsMax: 10_000 }
    return sendDue(
      this.#app.db.pool,
      'tick',
      silent,
      sendingMeans(this.#app.db.pool, keyring(), 'http://localhost:3000'),
      {
        ...limits,
        ...{ time: new Deadline(3_000), beginning: new Deadline(20_000) },
      },
    )
  }

  /** Until a tick finds nothing that it could send. */
  async tickUntilSent(): Promise<void> {
    while ((await this.tick()).sent > 0);
  }

  async dashboard(): Promise<{ pendingEmailCount: number; failedEmailCount: number; unknownEmailCount: number }> {
    return this.owner.ask('GET', '/api/admin/dashboard')
  }
}
