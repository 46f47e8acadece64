import { createRequire } from 'node:module'

/** Loads the cron route as a function does when it starts cold, and what is named besides; tells what it cost. */
const [what = ''] = process.argv.slice(2)
const started = performance.now()
await import('#app/api/cron/send-emails/route.ts')
const { GmailApi } = await import('#lib/mail/gmail/gmail-api.ts')
if (what === 'gmail') await GmailApi.open('a token', undefined)
if (what === 'googleapis') await import('googleapis')
const loaded = Object.keys(createRequire(import.meta.url).cache)
process.send?.({
  ms: performance.now() - started,
  rssMb: process.memoryUsage.rss() / 1024 / 1024,
  googleModules: loaded.filter((file) => /\/node_modules\/(?:google|gaxios|gtoken|gcp-)/.test(file)).length,
})
process.disconnect?.()
