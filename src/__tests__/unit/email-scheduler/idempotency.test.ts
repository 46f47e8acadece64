import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  generateIdempotencyKey,
  generateTransactionalKey,
  IDEMPOTENCY_SEPARATOR,
  parseIdempotencyKey,
} from '#lib/email-scheduler/idempotency.ts'

const id = fc.oneof(
  fc.uuid(),
  fc.string({ minLength: 1, maxLength: 40 }).filter((text) => !/[\s:]/.test(text) && text !== 'tx'),
)
const stepNumber = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }))

describe('the key of a campaign email', () => {
  test('has the form prospect:sequence:step', () => {
    expect(generateIdempotencyKey('prospect', 'sequence', 2)).toBe('prospect:sequence:2')
    expect(IDEMPOTENCY_SEPARATOR).toBe(':')
  })

  test('comes back from parsing as it went in', () => {
    fc.assert(
      fc.property(id, id, stepNumber, (prospectId, sequenceId, step) => {
        expect(parseIdempotencyKey(generateIdempotencyKey(prospectId, sequenceId, step))).toEqual({
          kind: 'CAMPAIGN',
          prospectId,
          sequenceId,
          stepNumber: step,
        })
      }),
    )
  })

  test('parses in one way only: whatever is accepted is what would have been generated', () => {
    const part = fc.oneof(id, fc.constantFrom('', ' ', 'tx', '1', '01', '1.0', 'a b'), fc.string({ maxLength: 3 }))
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const key = parts.join(':')
        let parsed: ReturnType<typeof parseIdempotencyKey>
        try {
          parsed = parseIdempotencyKey(key)
        } catch {
          return
        }
        if (parsed.kind === 'CAMPAIGN') {
          expect(generateIdempotencyKey(parsed.prospectId, parsed.sequenceId, parsed.stepNumber)).toBe(key)
        } else {
          expect(key).toBe(`tx:${parsed.workspaceId}:${parsed.hash}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each([
    ['', 'sequence', 1, /prospect id must not be empty/],
    ['prospect', '', 1, /sequence id must not be empty/],
    [' ', 'sequence', 1, /white space/],
    ['pro\tspect', 'sequence', 1, /white space/],
    ['prospect', 'se:quence', 1, /must not contain ":"/],
    ['pro:spect', 'sequence', 1, /must not contain ":"/],
    ['tx', 'sequence', 1, /transactional keys begin so/],
    ['prospect', 'sequence', 0, /positive whole number/],
    ['prospect', 'sequence', -1, /positive whole number/],
    ['prospect', 'sequence', 1.5, /positive whole number/],
    ['prospect', 'sequence', Number.NaN, /positive whole number/],
    ['prospect', 'sequence', Number.POSITIVE_INFINITY, /positive whole number/],
    ['prospect', 'sequence', 2 ** 53, /positive whole number/],
  ])('refuses to be made of %j, %j, %j', (prospectId, sequenceId, step, message) => {
    expect(() => generateIdempotencyKey(prospectId, sequenceId, step)).toThrow(message)
  })

  test.each([
    '',
    'prospect',
    'prospect:sequence',
    'prospect:sequence:1:2',
    ':sequence:1',
    'prospect::1',
    'prospect:sequence:',
    'prospect:sequence:0',
    'prospect:sequence:01',
    'prospect:sequence:1.0',
    'prospect:sequence:1e3',
    'prospect:sequence:+1',
    'prospect:sequence:-1',
    'prospect:sequence: 1',
    'prospect:sequence:٣',
    'prospect:sequence:9007199254740992',
    'pro spect:sequence:1',
    'tx:workspace:1',
    'tx::0000000000000000000000000000000000000000000000000000000000000000',
  ])('refuses to parse %j', (key) => {
    expect(() => parseIdempotencyKey(key)).toThrow(/key|id|step/)
  })
})

describe('the key of a transactional email', () => {
  test('hides and bounds the caller’s key, whatever is in it', () => {
    fc.assert(
      fc.property(
        id,
        fc.string({ minLength: 1 }).filter((text) => text.trim() !== ''),
        (workspaceId, callerKey) => {
          const key = generateTransactionalKey(workspaceId, callerKey)
          expect(key).toMatch(/^tx:[^:\s]+:[0-9a-f]{64}$/)
          expect(parseIdempotencyKey(key)).toMatchObject({ kind: 'TRANSACTIONAL', workspaceId })
        },
      ),
    )
  })

  test('is the SHA-256 of the caller’s key', () => {
    expect(generateTransactionalKey('w', 'abc')).toBe(
      'tx:w:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
  })

  test('differs between workspaces', () => {
    expect(generateTransactionalKey('one', 'invoice-7')).not.toBe(generateTransactionalKey('two', 'invoice-7'))
  })

  test('refuses an empty caller’s key', () => {
    expect(() => generateTransactionalKey('w', '  ')).toThrow(/must not be empty/)
  })
})
