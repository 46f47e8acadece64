import type { z } from 'zod'

export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export type Method = (typeof METHODS)[number]

/** What the edge must know of a route: where it is, what comes in, and what goes out. */
export type RouteShape = {
  method: Method
  /** Named as the folders of src/app are: /api/lists/[id]. */
  path: `/api/${string}`
  /** One line for the API reference. */
  summary: string
  access: string
  params?: z.ZodType
  query?: z.ZodType
  /** JSON. */
  body?: z.ZodType
  /** Where a body may be larger than others, as with files in it. */
  bodyBytesMax?: number
  /** The media type of a body that is a file, and that the handler reads itself. */
  upload?: string
  /** JSON, in the envelope; the answer is cut to what the schema names. */
  output?: z.ZodType
  /** What is told on the way to the answer, to those who accept it line by line (http/progress.ts). */
  progress?: z.ZodType
  /** The media type of an answer that is a file. */
  download?: string
  /** Answers 201 with a Location. */
  makes?: {
    /** Where what was made can be asked for. */
    at: `/api/${string}`
    /** Where in the output its id stands; `id` where nothing is said. */
    id?: string
    /** A part of the output; only where it is there, and not false, was anything made. Else the answer is 200. */
    when?: string
    /** A field of the output; where it is true, the thing was there already, and the answer is 200. */
    unless?: string
  }
  /**
   * Where in the output the version of what people edit stands, which the answer carries as its ETag. An operation that
   * changes something takes it back in If-Match.
   */
  versioned?: string
}

/** A part of the request as the handler gets it: parsed. */
export type Parsed<Shape, Part extends 'params' | 'query' | 'body'> =
  Shape extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : undefined

/** What the handler may tell on its way. */
export type Told<Shape> = Shape extends { progress: infer Schema extends z.ZodType } ? z.input<Schema> : never

/** What the handler answers: what the output's schema takes, or a file. */
export type Answered<Shape> = Shape extends { output: infer Schema extends z.ZodType }
  ? Shape extends { download: string }
    ? z.output<Schema> | Response
    : z.output<Schema>
  : Response
