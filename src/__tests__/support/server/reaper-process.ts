import { rmSync } from 'node:fs'

/**
 * Outlives the test that forked it by a moment: whatever of the test's processes is still there then is ended, stopped ones
 * too, and its folders are removed. So a run that is interrupted, however roughly, leaves nothing behind.
 */
type Order = { pid: number; isGone: boolean; folder?: string } | { folder: string; isGone: boolean; pid?: undefined }

const pids = new Set<number>()
const folders = new Set<string>()
process.on('message', ({ pid, folder, isGone }: Order) => {
  if (pid !== undefined) isGone ? pids.delete(pid) : pids.add(pid)
  if (folder !== undefined) isGone ? folders.delete(folder) : folders.add(folder)
})
process.on('disconnect', () => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It went by itself.
    }
  }
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  process.exit(0)
})
// Ctrl-C reaches everybody at once; this one has to come last.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
