// Loaded into the server beside what is shipped: says at a socket what the process occupies, and how long its one
// thread has worked. What a request costs is read there and not from a clock, which on a busy machine says more of others.
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc')
const worked = process.threadCpuUsage ?? process.cpuUsage

const path = process.env.GAUGE_SOCKET
// A process that the server starts finds the socket taken.
createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    if (chunk.includes('tidy')) collectGarbage()
    const { user, system } = worked.call(process)
    const { heapUsed, external, rss } = process.memoryUsage()
    const handles = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate').length
    socket.write(`${JSON.stringify({ cpuMs: (user + system) / 1000, heapUsed, external, rss, handles })}\n`)
  })
})
  .on('error', () => undefined)
  .listen(path)
  .unref()
