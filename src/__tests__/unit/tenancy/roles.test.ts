import { expect, test } from 'vitest'
import { isAtLeast, mayManage, ROLES } from '#lib/tenancy/roles.ts'

test('each role may do what those before it may', () => {
  const table = ROLES.map((role) => ROLES.map((minimum) => isAtLeast(role, minimum)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})

test('members manage nobody, admins all but owners, owners all', () => {
  const table = ROLES.map((actor) => ROLES.map((subject) => mayManage(actor, subject)))
  expect(table).toEqual([
    [false, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
