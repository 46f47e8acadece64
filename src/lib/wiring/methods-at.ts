import { CONTRACT } from '#lib/contract/contract.ts'
import type { Operation } from '#lib/contract/operation.ts'
import type { MethodsAt } from '#lib/platform/http/front-door.ts'

type Address = { segments: string[]; methods: string[] }

const addresses = new Map<string, Address>()
for (const area of Object.values(CONTRACT)) {
  for (const { path, method } of Object.values(area) as Operation[]) {
    const address = addresses.get(path) ?? { segments: path.split('/'), methods: [] }
    address.methods.push(...(method === 'GET' ? ['GET', 'HEAD'] : [method]))
    addresses.set(path, address)
  }
}

/** As Next finds a route: an address that is written out comes before one with an id in it. */
export const methodsAt: MethodsAt = (path) => {
  const segments = path.replace(/\/$/, '').split('/')
  const found = addresses.get(segments.join('/')) ?? [...addresses.values()].find((address) => fits(address, segments))
  return found && [...found.methods, 'OPTIONS']
}

function fits({ segments: pattern }: Address, segments: string[]): boolean {
  return (
    pattern.length === segments.length &&
    pattern.every((part, index) => part.startsWith('[') || part === segments[index])
  )
}
