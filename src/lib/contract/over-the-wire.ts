import type { z } from 'zod'
import type { Operations } from './contract.ts'

/** What a caller sends and gets: types alone, so that a page takes none of the schemas along. */
export type OperationName = keyof Operations

/** A value as JSON carries it: an instant arrives as text. */
export type Json<Value> = unknown extends Value
  ? Value
  : Value extends Date
    ? string
    : Value extends readonly (infer Item)[]
      ? Json<Item>[]
      : Value extends object
        ? { [Field in keyof Value]: Json<Value[Field]> }
        : Value

/** What is read out of text may be given as whatever writes itself as that text. */
type QueryValues<Query> = {
  [Field in keyof Query]: unknown extends Query[Field] ? string | number | boolean | undefined : Query[Field]
}

type PathParameters<Shape> = Shape extends { params: infer Params extends z.ZodType }
  ? { params: z.input<Params> }
  : unknown

type QueryParameters<Shape> = Shape extends { query: infer Query extends z.ZodType }
  ? object extends z.input<Query>
    ? { query?: QueryValues<z.input<Query>> }
    : { query: QueryValues<z.input<Query>> }
  : unknown

type RequestBody<Shape> = Shape extends { body: infer Body extends z.ZodType }
  ? object extends z.input<Body>
    ? { body?: z.input<Body> }
    : { body: z.input<Body> }
  : unknown

export type Sent<Name extends OperationName> = PathParameters<Operations[Name]> &
  QueryParameters<Operations[Name]> &
  RequestBody<Operations[Name]>

export type Received<Name extends OperationName> = Operations[Name] extends { output: infer Output extends z.ZodType }
  ? Json<z.output<Output>>
  : Blob

/** What an operation tells on the way to its answer. */
export type Told<Name extends OperationName> = Operations[Name] extends { progress: infer Progress extends z.ZodType }
  ? Json<z.output<Progress>>
  : never
