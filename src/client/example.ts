import { createSendonce } from './sendonce.ts'

const { SENDONCE_URL = 'http://localhost:3000', SENDONCE_KEY = '' } = process.env
const sendonce = createSendonce({ url: SENDONCE_URL, key: SENDONCE_KEY })

const email = await sendonce('POST /api/emails', {
  body: { to: 'ada@example.com', subject: 'Your table is booked', text: 'See you on Friday at 19:00.' },
  idempotencyKey: 'booking-4711',
})

process.stdout.write(`${email.result} ${email.id}\n`)
