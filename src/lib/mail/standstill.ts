const BEAT_MS = 250
/** A beat that comes so much later than it should is late for being one of many, and no sign of anything. */
const LATE_MS_MAX = 250

let [beats, totalMs, lastMs, lastAt] = [false, 0, 0, 0]

/**
 * For how long this process has stood still by now, all in all: stopped, asleep with its machine, or busy with one thing.
 * Read as the difference of two moments. By two clocks, of which one does not run while a machine sleeps.
 */
export function standstillMs(): number {
  if (beats) return totalMs + missedMs()
  beats = true
  beat()
  setInterval(beat, BEAT_MS).unref()
  return totalMs
}

function beat(): void {
  if (lastAt > 0) totalMs += missedMs()
  lastMs = performance.now()
  lastAt = Date.now()
}

function missedMs(): number {
  const sinceMs = Math.max(performance.now() - lastMs, Date.now() - lastAt)
  return sinceMs > BEAT_MS + LATE_MS_MAX ? sinceMs - BEAT_MS : 0
}
