import { beforeAll, describe, expect, test } from 'vitest'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { SCENES } from '#tests/support/scenes/all.ts'
import { testStage } from '#tests/support/scenes/play.ts'
import { populate } from '#tests/support/scenes/populate.ts'

const { app, guest, play } = testStage()

test('these pages are on disk', () => {
  expect(pageAddresses()).toEqual(expect.arrayContaining(Object.keys(SCENES.campaigns)))
})

describe('with people and their work', () => {
  beforeAll(() => populate(app, guest))
  play(SCENES.campaigns)
})
