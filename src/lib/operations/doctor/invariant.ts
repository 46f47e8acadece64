import type { WalkName } from './walks.ts'

/** Something that is never so in a database that is well. */
export type Invariant = {
  name: string
  /** What it means that there are any, for a person; begins after their number. */
  sentence: string
  /** The same when all is well, by itself. */
  holds: string
  /** What a person does about it. */
  cure: string
  /** What is asked of each row, by the alias of its walk: true where it offends. Each must be a few steps in indexes. */
  looks: readonly { over: WalkName; offends: string }[]
  /** Where all at once is told by another question than row by row: the ids of what offends. */
  whole?: string
  /** Where it does not hold for one workspace, nobody else may rely on it either. */
  concernsAll?: true
}
