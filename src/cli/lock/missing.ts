export type LockedPackage = {
  version?: string
  optional?: boolean
  dev?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

const OS = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32']
const CPU = ['arm64', 'arm', 'x64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32']

/** What locked packages name as optional for some platform, and the lock file does not hold. */
export function missingPlatformPackages(packages: Record<string, LockedPackage>): Record<string, LockedPackage> {
  const missing: Record<string, LockedPackage> = {}
  for (const [path, parent] of Object.entries(packages)) {
    for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
      if (isLocked(packages, path, name)) continue
      missing[`node_modules/${name}`] = {
        version: range.replace(/^[~^]/, ''),
        ...(parent.dev ? { dev: true } : {}),
        optional: true,
        ...platformOf(name),
      }
    }
  }
  return missing
}

/** As Node looks a package up: beside its parent, then in each folder above. */
function isLocked(packages: Record<string, LockedPackage>, from: string, name: string): boolean {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true
    if (at === '') return false
  }
}

/** Such packages are named after what they are for: `@next/swc-linux-x64-musl`. */
function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const parts = name.split(/[/\-.]/)
  const os = OS.filter((known) => parts.includes(known))
  const cpu = CPU.filter((known) =>
    parts.some((part) => part === known || (known === 'arm' && /^(arm|armv7)$/.test(part))),
  )
  const libc = parts.some((part) => part.startsWith('musl'))
    ? ['musl']
    : parts.some((part) => part.startsWith('gnu'))
      ? ['glibc']
      : undefined
  return {
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.length > 0 ? { os } : {}),
    ...(libc && os.includes('linux') ? { libc } : {}),
  }
}
