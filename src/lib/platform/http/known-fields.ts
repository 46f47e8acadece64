import type { z } from 'zod'
import { lettersApart } from '#lib/platform/env.ts'
import { listed, PROBLEMS_MAX, type Problem, shown, writtenPath } from './problems.ts'

export type Look = {
  /** Lists that are longer than they may be: nothing in them is worth looking at. */
  tooLong: Problem[]
  unknown: Problem[]
}

/**
 * Looks over what was sent before it is parsed, along the schema and so no deeper than the schema goes. A field that no
 * schema names would be dropped in silence: a launch that was meant for Christmas would go out at once.
 */
export function lookOver(schema: z.ZodType | undefined, given: unknown): Look {
  const look: Look = { tooLong: [], unknown: [] }
  if (schema) visit(schema, given, [], look)
  else if (isObject(given)) nameUnknown({}, given, [], look)
  return look
}

type Path = readonly PropertyKey[]

type Shape = Readonly<Record<string, z.core.$ZodType>>

function visit(schema: z.core.$ZodType, given: unknown, path: Path, look: Look): void {
  if (typeof given !== 'object' || given === null || look.unknown.length >= PROBLEMS_MAX) return
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'object') visitObject(def.shape, given, path, look)
  else if (def.type === 'union') visitObject(shapeAmong(def, given), given, path, look)
  else if (def.type === 'array') visitArray(schema, def.element, given, path, look)
  else if (def.type === 'pipe') visit(def.in, given, path, look)
  else if (def.type === 'record') visitRecord(def.valueType, given, path, look)
  else if ('innerType' in def) visit(def.innerType, given, path, look)
}

function visitRecord(values: z.core.$ZodType, given: object, path: Path, look: Look): void {
  for (const [name, value] of Object.entries(given)) visit(values, value, [...path, name], look)
}

function visitObject(shape: Shape | undefined, given: object, path: Path, look: Look): void {
  if (!shape || Array.isArray(given)) return
  nameUnknown(shape, given, path, look)
  for (const [name, field] of Object.entries(shape)) {
    if (Object.hasOwn(given, name)) visit(field, (given as Record<string, unknown>)[name], [...path, name], look)
  }
}

function visitArray(schema: z.core.$ZodType, element: z.core.$ZodType, given: object, path: Path, look: Look): void {
  if (!Array.isArray(given)) return
  const max = longest(schema)
  if (max !== undefined && given.length > max) {
    look.tooLong.push({ path: writtenPath(path), message: `At most ${max} are possible; these are ${given.length}.` })
    return
  }
  for (const [index, item] of given.entries()) visit(element, item, [...path, index], look)
}

/** The most items that an array may have, if its schema says so. */
export function longest(schema: z.core.$ZodType): number | undefined {
  const maxima = (schema._zod.def.checks ?? []).flatMap((check) => {
    const { def } = check._zod
    return def.check === 'max_length' && 'maximum' in def ? [Number(def.maximum)] : []
  })
  return maxima.length > 0 ? Math.min(...maxima) : undefined
}

/** Of a union of objects, the one that the discriminator names, else all of them together; undefined where it has none. */
function shapeAmong(def: z.core.$ZodUnionDef | z.core.$ZodDiscriminatedUnionDef, given: object): Shape | undefined {
  const shapes = def.options.flatMap((option) => {
    const { def: inner } = (option as z.core.$ZodTypes)._zod
    return inner.type === 'object' ? [inner.shape] : []
  })
  if (shapes.length === 0) return undefined
  if ('discriminator' in def) {
    const named = shapes.find((shape) => {
      const value = Object.getOwnPropertyDescriptor(given, def.discriminator)?.value
      return shape[def.discriminator]?._zod.values?.has(value)
    })
    if (named) return named
  }
  return Object.assign({}, ...shapes.toReversed()) as Shape
}

function nameUnknown(shape: Shape, given: object, path: Path, look: Look): void {
  const known = Object.keys(shape)
  for (const name of Object.keys(given)) {
    if (look.unknown.length >= PROBLEMS_MAX) return
    if (known.includes(name)) continue
    look.unknown.push({ path: writtenPath([...path, name]), message: unknownSentence(name, known) })
  }
}

function unknownSentence(name: string, known: readonly string[]): string {
  const told = `\`${shown(name)}\` is not known`
  const near = nearest(name, known)
  if (near) return `${told}; did you mean \`${near}\`?`
  return known.length > 0 ? `${told}; what may stand here is ${listed(known)}.` : `${told}; nothing may stand here.`
}

/** The known name that was probably meant: one within the other, or a few letters apart. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = plain(name)
  if (wanted === '' || wanted.length > 64) return undefined
  const ranked = known
    .map((candidate) => ({ candidate, apart: apart(wanted, plain(candidate)) }))
    .sort((one, other) => one.apart - other.apart)
  const [first] = ranked
  return first && first.apart <= (wanted.length < 4 ? 1 : Math.max(2, Math.floor(wanted.length / 3)))
    ? first.candidate
    : undefined
}

/** As people mix them up: `scheduled_at`, `ScheduledAt`. */
const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** A name at the end of the other (`at` of `scheduledAt`) is one apart. */
function apart(one: string, other: string): number {
  if (one === other) return 0
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short.length >= 2 && long.endsWith(short) ? 1 : lettersApart(one, other)
}

function isObject(given: unknown): given is object {
  return typeof given === 'object' && given !== null && !Array.isArray(given)
}
