import { readdirSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { pageAddresses } from '#tests/support/browser/pages.ts'
import { FIRST_RUN } from '#tests/support/scenes/account.ts'
import { SCENES } from '#tests/support/scenes/all.ts'
import { testStage } from '#tests/support/scenes/play.ts'
import { populate } from '#tests/support/scenes/populate.ts'

/**
 * Every page, in every state that a person may find it in, in every look. A page on disk without a scene fails: add its
 * scenes with the page, below support/scenes. The files beside this one play the rest of them.
 */
const { app, guest, play } = testStage()

test('every page on disk has its scenes, and every scene its page', () => {
  const addresses = Object.values(SCENES).flatMap((scenes) => Object.keys(scenes))
  expect([...new Set([...Object.keys(FIRST_RUN), ...addresses])].sort()).toEqual(pageAddresses())
  expect(addresses.length, 'a page whose scenes are in two lists').toBe(new Set(addresses).size)
})

test('every list of scenes is played by a file of its own', () => {
  const files = readdirSync(import.meta.dirname).map((name) => name.replace('.test.ts', ''))
  expect(files.sort()).toEqual(Object.keys(SCENES).sort())
})

describe('before anybody is here', () => play(FIRST_RUN))

describe('with people and their work', () => {
  beforeAll(() => populate(app, guest))
  play(SCENES.account)
})
