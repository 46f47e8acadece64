import { expect, test } from 'vitest'
import { inUploadPlace } from '#lib/audience/import/upload-places.ts'

test('a workspace has four places, all of them together twenty, and each is given back', async () => {
  const ends: (() => void)[] = []
  const enter = (workspace: string) =>
    inUploadPlace(workspace, () => new Promise<string>((resolve) => ends.push(() => resolve('done'))))
  const taken = [enter('a'), enter('a'), enter('a'), enter('a')]
  await expect(enter('a')).rejects.toMatchObject({ status: 429, code: 'too-many-uploads' })
  for (const workspace of ['b', 'c', 'd', 'e']) for (let place = 0; place < 4; place += 1) taken.push(enter(workspace))
  await expect(enter('f')).rejects.toMatchObject({ status: 503, code: 'too-busy' })

  ends[0]?.()
  expect(await taken[0]).toBe('done')
  const later = enter('f')
  for (const end of ends.slice(1)) end()
  expect(await Promise.all([...taken, later])).toHaveLength(21)
})

test('one that failed is given back as well', async () => {
  for (let round = 0; round < 30; round += 1) {
    const broken = inUploadPlace('a', () => Promise.reject(new Error('cut')))
    await expect(broken).rejects.toThrow('cut')
  }
})
