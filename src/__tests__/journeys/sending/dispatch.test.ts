import { describe, expect, test } from 'vitest'
import { testBrowser } from '#tests/support/browser/browser.ts'
import { Guest } from '#tests/support/browser/guest.ts'
import { callCron, launchToAll, setUpSending } from '#tests/support/browser/launching.ts'
import { IS_THERE, testService } from '#tests/support/dispatch/services.ts'
import { testApp } from '#tests/support/server/app.ts'

const chromium = testBrowser()

/** The built pages with a broker between finding and sending: the cron route has both roles, and health tells of it. */
describe.each(['rabbitmq', 'bullmq'] as const)('through %s', (name) => {
  describe.skipIf(!IS_THERE[name])('the product as shipped', () => {
    const { DISPATCH, DISPATCH_URL = '', DISPATCH_QUEUE } = testService(name).settings
    const app = testApp({ DISPATCH, DISPATCH_URL, DISPATCH_QUEUE })

    test('sends by its ticks, and says that the broker answers', async () => {
      const olga = await Guest.enter(app, chromium.browser)
      await olga.setUp()
      await setUpSending(app, olga)
      for (const email of ['ada@example.com', 'grace@example.com']) await olga.ask('POST', '/api/prospects', { email })
      await callCron(app)
      await launchToAll(olga, [{ subject: 'Hello', bodyText: 'Hello', bodyHtml: '', delayDays: 0 }])
      expect(await callCron(app)).toMatchObject({ sent: 2, published: 2, republished: 0, unpublished: 0 })
      const answer = await fetch(`${app.url}/api/health`)
      const { data } = (await answer.json()) as { data: { dispatch: unknown } }
      const server = name === 'rabbitmq' ? 'RabbitMQ' : 'Redis'
      expect(data.dispatch).toEqual({ ok: true, by: name, sentence: `${server} answers.` })
      expect(await app.serverLog()).not.toContain('guest:guest')
      await olga.leave()
      // A person who is not signed in sees how the installation is.
      const stranger = await Guest.enter(app, chromium.browser)
      await (await stranger.open('/')).getByText(`${server} answers.`).waitFor()
      expect(stranger.complaints).toEqual([])
      await stranger.leave()
    })
  })
})
