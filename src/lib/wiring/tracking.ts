import { database } from '#lib/platform/database.ts'
import { HitRecorder } from '#lib/tracking/hit-recorder.ts'

let recorder: HitRecorder | undefined

/** One for the process: it bounds how much of it is written at a time. */
export function hitRecorder(): HitRecorder {
  recorder ??= new HitRecorder(database())
  return recorder
}
