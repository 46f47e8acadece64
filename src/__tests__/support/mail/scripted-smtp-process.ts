import { text } from 'node:stream/consumers'
import { type PeerOptions, type PeerScript, startScriptedSmtp } from './scripted-smtp.ts'

/**
 * Scripted peers as a process of their own, so that what they accepted outlives the killed worker. Their options are JSON,
 * those of one or a list, as the first argument or on stdin; the first line on stdout says the ports. A parent that forked
 * it may send one of them another script at any time, and hears when it holds.
 */
const given = JSON.parse(process.argv[2] ?? (await text(process.stdin))) as PeerOptions | PeerOptions[]
const peers = await Promise.all([given].flat().map((options) => startScriptedSmtp(options)))
const ready = { port: peers[0]?.port, ports: peers.map(({ port }) => port), pid: process.pid }
process.stdout.write(`${JSON.stringify(ready)}\n`)
process.send?.(ready)
process.on('message', ({ peer, script, id }: { peer: number; script: PeerScript; id: number }) => {
  peers[peer]?.setScript(script)
  process.send?.({ played: id })
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
