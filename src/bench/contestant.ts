/** Puts `emails` into its queue in batches of `BATCH`, and answers in how many seconds. */
export type Contestant = {
  name: string
  /** Prepares, so that `run` measures the enqueueing alone; undefined where it cannot take part here, with the reason logged. */
  open(emails: number): Promise<{ run(): Promise<void>; close(): Promise<void> } | undefined>
}

export const BATCH = 1000
