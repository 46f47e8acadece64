import type { Lanes } from '#lib/delivery/lanes.ts'

/**
 * Until something has landed since `openings` was read that leaves room for more, or the time is over. A landing at a
 * mailbox that stays full is no reason to ask the database again, and there are as many of those as emails.
 */
export async function untilOpen(
  lanes: Lanes,
  openings: number,
  nextLanding: () => Promise<void>,
  time: Promise<void>,
): Promise<void> {
  let isOver = false
  const end = time.then(() => {
    isOver = true
  })
  while (!isOver && lanes.openings === openings) await Promise.race([nextLanding(), end])
}
