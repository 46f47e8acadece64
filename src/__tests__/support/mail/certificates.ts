import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

export type Certificate = { cert: string; key: string; keyObject: KeyObject; name: string }

type Wanted = {
  name: string
  /** Of the server: DNS names or IPv4 addresses. */
  hosts?: string[]
  /** None: it signs itself. */
  signer?: Certificate
  from?: Date
  to?: Date
}

const DAY_MS = 86_400_000

/** Makes an X.509 certificate, so that no key lies in git and none ever expires there. */
export function makeCertificate({ name, hosts = [], signer, from, to }: Wanted): Certificate {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const algorithm = sequence(oid('2a8648ce3d040302')) // ecdsa-with-SHA256
  const extensions = [
    sequence(oid('551d13'), tag(0x01, Buffer.from([0xff])), octets(sequence(...(hosts.length ? [] : [bool(true)])))),
    ...(hosts.length ? [sequence(oid('551d11'), octets(sequence(...hosts.map(alternativeName))))] : []),
  ]
  const body = sequence(
    tag(0xa0, tag(0x02, Buffer.from([2]))),
    tag(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    algorithm,
    nameOf(signer?.name ?? name),
    sequence(time(from ?? new Date(Date.now() - DAY_MS)), time(to ?? new Date(Date.now() + 30 * DAY_MS))),
    nameOf(name),
    publicKey,
    tag(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', body, signer?.keyObject ?? privateKey)
  const der = sequence(body, algorithm, tag(0x03, Buffer.concat([Buffer.from([0]), signature])))
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  const cert = `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), keyObject: privateKey, name }
}

function tag(number: number, content: Buffer): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([number, ...size]), content])
}

const sequence = (...parts: Buffer[]) => tag(0x30, Buffer.concat(parts))
const oid = (hex: string) => tag(0x06, Buffer.from(hex, 'hex'))
const octets = (content: Buffer) => tag(0x04, content)
const bool = (value: boolean) => tag(0x01, Buffer.from([value ? 0xff : 0]))
const nameOf = (name: string) => sequence(tag(0x31, sequence(oid('550403'), tag(0x0c, Buffer.from(name)))))
const time = (at: Date) => tag(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')))

function alternativeName(host: string): Buffer {
  const octetsOfHost = /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host.split('.').map(Number) : undefined
  return octetsOfHost ? tag(0x87, Buffer.from(octetsOfHost)) : tag(0x82, Buffer.from(host))
}
