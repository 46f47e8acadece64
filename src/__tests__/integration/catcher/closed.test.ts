import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CatcherReady } from '#catcher/main.ts'
import {
  call,
  dir,
  firstLine,
  get,
  kill,
  list,
  MAIN,
  onlyMessage,
  send,
  startCatcher,
  startCatcherAs,
  started,
} from '#tests/support/mail/catcher.ts'

describe('the inbox is for the holder of its token', () => {
  const PATHS = ['/', '/?q=x', '/api/messages', '/api/messages/nothing', '/nowhere', '//evil.test']

  test('nothing of a mail is told without it, or with another', async () => {
    const catcher = await startCatcher()
    await send(catcher, { subject: 'Choose a new password', html: '<p>https://app.test/#token=secret</p>' })
    const { id } = await onlyMessage(catcher)
    const ofMail = ['', '/html', '/raw', '/attachments/0', '/unsubscribe'].map((rest) => `/m/${id}${rest}`)
    const strangers: Record<string, string>[] = [
      {},
      { authorization: 'Bearer nothing' },
      { cookie: `catcher-${catcher.httpPort}=nothing` },
    ]
    for (const path of [...PATHS, ...ofMail, `/api/messages/${id}`, '/?token=nothing']) {
      for (const headers of strangers) {
        const response = await fetch(catcher.url + path, { headers, redirect: 'manual' })
        expect(response.status, path).toBe(401)
        expect(await response.text(), path).not.toMatch(/new password|there\.test|secret/)
      }
    }
    expect((await fetch(`${catcher.url}/api/messages`, { method: 'DELETE' })).status).toBe(401)
    expect((await list(catcher)).total).toBe(1)
  })

  test('the address that carries it leaves a cookie in its place, and leads to no other host', async () => {
    const catcher = await startCatcher()
    const first = await fetch(`${catcher.url}/?q=x&token=${catcher.token}`, { redirect: 'manual' })
    expect(first.status).toBe(303)
    expect(first.headers.get('location')).toBe('/?q=x')
    const [cookie = ''] = first.headers.getSetCookie()
    expect(cookie).toMatch(/; HttpOnly; SameSite=Lax; Path=\/;/)
    const headers = { cookie: `other=1; ${cookie.slice(0, cookie.indexOf(';'))}` }
    for (const path of ['/', '/?q=x', '/api/messages']) {
      expect((await fetch(catcher.url + path, { headers })).status, path).toBe(200)
    }
    const aside = await call(catcher, 'GET', `/.//evil.test?token=${catcher.token}`, {})
    expect(aside.location).toBe('/evil.test')
  })

  test('the token is the one of the environment, and what is kept is closed to others', async () => {
    const catcher = await startCatcherAs({ CATCHER_TOKEN: 'chosen-by-the-parent' })
    expect(catcher.token).toBe('chosen-by-the-parent')
    await send(catcher, {})
    for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o077, name).toBe(0)
  })
})

describe('the process', () => {
  test('stops cleanly on SIGTERM and SIGINT, also with clients connected', async () => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const catcher = await startCatcher()
      const idle = connect(catcher.smtpPort, '127.0.0.1').on('error', () => undefined)
      await once(idle, 'data')
      await get(catcher)
      const exit = once(catcher.child, 'exit')
      catcher.child.kill(signal)
      expect(await exit).toEqual([0, null])
    }
  })

  test('says which port is taken', async () => {
    const catcher = await startCatcher()
    const second = spawn(
      process.execPath,
      [MAIN, '--smtp-port', String(catcher.smtpPort), '--http-port', '0', '--dir', dir],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    started.push(second)
    let complaint = ''
    second.stderr.on('data', (chunk) => {
      complaint += chunk
    })
    expect(await once(second, 'close')).toEqual([1, null])
    expect(complaint).toContain(`Port ${catcher.smtpPort} is taken`)
  })

  test('cannot be reached from another machine', async () => {
    const catcher = await startCatcher()
    const addresses = Object.values(networkInterfaces())
      .flatMap((addresses) => addresses ?? [])
      .filter(({ internal, family }) => !internal && family === 'IPv4')
      .map(({ address }) => address)
    if (process.platform === 'linux') addresses.push('127.0.0.2')
    for (const address of addresses) {
      for (const port of [catcher.smtpPort, catcher.httpPort]) {
        await expect(once(connect(port, address), 'connect'), address).rejects.toThrow('ECONNREFUSED')
      }
    }
  })

  test('reports its ports to a parent that forked it, and goes when that parent is killed', async () => {
    const script = `
      const child = require('node:child_process').fork(process.argv[1],
        ['--smtp-port', '0', '--http-port', '0', '--dir', process.argv[2]], { stdio: 'ignore' })
      child.on('message', (ready) => console.log(JSON.stringify(ready)))`
    const parent = spawn(process.execPath, ['-e', script, MAIN, dir], { stdio: ['ignore', 'pipe', 'inherit'] })
    started.push(parent)
    const ready: CatcherReady = JSON.parse(await firstLine(parent))
    expect((await fetch(`${ready.url}/?token=${ready.token}`, { redirect: 'manual' })).status).toBe(303)
    await kill(parent)
    await expect.poll(() => isAlive(ready.pid)).toBe(false)
  })

  test('goes when the parent lets go of it', async () => {
    const child = fork(MAIN, ['--smtp-port', '0', '--http-port', '0', '--dir', dir], { stdio: 'ignore' })
    started.push(child)
    await once(child, 'message')
    const exit = once(child, 'exit')
    child.disconnect()
    expect(await exit).toEqual([0, null])
  })

  function isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
})
