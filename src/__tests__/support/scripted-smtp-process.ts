import { text } from 'node:stream/consumers'
import { type PeerOptions, type PeerScript, startScriptedSmtp } from './scripted-smtp.ts'

/**
 * The scripted peer as a process of its own, so that what it accepted outlives whoever is killed. Its options are JSON,
 * as the first argument or on stdin; the first line on stdout says the port. A parent that forked it may send another
 * script at any time.
 */
const options = JSON.parse(process.argv[2] ?? (await text(process.stdin))) as PeerOptions
const peer = await startScriptedSmtp(options)
const ready = { port: peer.port, pid: process.pid }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)
process.on('message', (script: PeerScript) => peer.setScript(script))
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
