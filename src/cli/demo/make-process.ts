import { randomUUID } from 'node:crypto'
import { createPoolFor } from '#lib/platform/database.ts'
import { readEnvironment } from '#lib/platform/env.ts'
import { readKeyring } from '#lib/platform/keyring.ts'
import { DemoClock } from './clock.ts'
import { Month } from './month.ts'
import { Story } from './story.ts'

/**
 * A program of its own, on the environment of the demo's server: makes the demo's month and says so. Everything comes by
 * the API that the pages call, and by the worker's own ticks; only the clock of the demo's database is moved.
 */
const DAY_MS = 86_400_000

const reading = readEnvironment(process.env)
if (!reading.ok) throw new Error(reading.problems.join(' '))
const { env } = reading
const keys = readKeyring(env.ENCRYPTION_KEYS)
if (!keys.ok) throw new Error(keys.problem)

const { DEMO_EMAIL = '', DEMO_PASSWORD = '', CATCHER_API = '', CATCHER_TOKEN = '', CATCHER_SMTP_PORT } = process.env
const pool = createPoolFor(env)
const clock = new DemoClock(pool)
const month = new Month(pool, clock, env, keys.keyring)
const story = new Story({
  url: env.APP_URL,
  smtpPort: Number(CATCHER_SMTP_PORT),
  email: DEMO_EMAIL,
  password: DEMO_PASSWORD,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC',
  askCatcher: async (path) => {
    const headers = { authorization: `Bearer ${CATCHER_TOKEN}`, 'x-request-id': randomUUID() }
    return (await fetch(`${CATCHER_API}${path}`, { headers })).json()
  },
})

// The channel is there as long as who started us: a demo that is left half is made anew by the next start.
process.on('disconnect', () => process.exit(1))

const end = Date.now()
const before = (days: number) => new Date(end - days * DAY_MS)

await clock.take()
await clock.beginAt(before(29))
await story.moveIn()
await story.connect('sales', 5, null)
await story.connect('hello', 5, null)
await story.bringIn('Trade fair', 'Webinar')
await story.campaign('Trade fair in spring', 'intro', 'Trade fair')
await month.passUntil(before(24))
await story.someLeave(2)
await month.passUntil(before(19))
await story.someLeave(1)
await month.passUntil(before(9))
await story.bringIn('Partners', 'Customers')
await story.campaign('News for partners', 'news', 'Partners')
await month.passUntil(before(7))
await story.connect('events', 3, 'expires')
const webinar = await story.campaign('Webinar in autumn', 'intro', 'Webinar')
await month.passUntil(before(5))
await story.someLeave(2)
await month.passUntil(before(2))
await story.pause(webinar)
await story.connectGmail('team', 5)
await story.bringIn('Newcomers')
await story.campaign('Welcome to newcomers', 'intro', 'Newcomers')
await month.passUntil(before(0.5))
await story.someLeave(1)
await story.campaign('News for customers', 'news', 'Customers', new Date(end + 3 * DAY_MS))
await story.campaign('Summer greetings', 'news')
await month.passUntil(new Date())
await clock.giveBack()
await pool.end()
process.send?.('made')
process.exit(0)
