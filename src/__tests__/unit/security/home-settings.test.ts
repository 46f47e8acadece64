import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHomeSettings } from '#cli/home/settings.ts'
import { readKeyring } from '#lib/platform/keyring.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendonce-settings-'))
  process.env.DATA_DIR = folder
})
afterEach(async () => {
  delete process.env.DATA_DIR
  await rm(folder, { recursive: true })
})

test('the first start makes every secret, and the next finds the same', async () => {
  const first = await openHomeSettings()
  expect(readKeyring(first.encryptionKeys).ok).toBe(true)
  expect(first.authSecret.length).toBeGreaterThanOrEqual(32)
  expect(await openHomeSettings()).toEqual(first)
})

test('the settings of an older version keep what they have and gain what they lack', async () => {
  const older = { databasePassword: 'x'.repeat(20), cronSecret: 'y'.repeat(20) }
  await writeFile(join(folder, 'settings.json'), JSON.stringify(older))
  const settings = await openHomeSettings()
  expect(settings).toMatchObject(older)
  expect(JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))).toEqual(settings)
  expect(await openHomeSettings()).toEqual(settings)
})

test('many first starts at once have the same secrets: those that the database is made with', async () => {
  const all = await Promise.all(Array.from({ length: 60 }, () => openHomeSettings()))
  for (const one of all) expect(one).toEqual(all[0])
  expect(JSON.parse(await readFile(join(folder, 'settings.json'), 'utf8'))).toEqual(all[0])
  expect(await readdir(folder)).toEqual(['settings.json'])
})

test('a file that cannot be read is not replaced by new secrets', async () => {
  // Not there for a reader, though something is: as where the disk fails.
  await mkdir(join(folder, 'settings.json'))
  await expect(openHomeSettings()).rejects.toThrow(/EISDIR/)
  expect(await readdir(folder)).toEqual(['settings.json'])
})

test('a damaged file stops the start: a new key beside it would make stored credentials unreadable', async () => {
  await writeFile(
    join(folder, 'settings.json'),
    '{"databasePassword": "xxxxxxxxxxxxxxxxxxxx", "encryptionKeys": "lost"',
  )
  await expect(openHomeSettings()).rejects.toThrow('damaged')
})
