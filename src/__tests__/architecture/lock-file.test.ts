import { expect, test } from 'vitest'
import { missingPlatformPackages } from '#cli/lock/missing.ts'
import { readTracked } from '#tests/support/source-files.ts'

const { packages } = JSON.parse(readTracked('package-lock.json').text)

test('the lock file is complete for every platform, so that npm ci takes it (else: npm run lock)', () => {
  expect(Object.keys(missingPlatformPackages(packages))).toEqual([])
})

test('a build for another platform is marked for it, so that nobody else installs it', () => {
  const unmarked = missingPlatformPackages({
    'node_modules/x': {
      optionalDependencies: {
        '@x/linux-x64-musl': '1.2.3',
        '@x/darwin-arm64': '^1.2.3',
        '@x/win32-ia32-msvc': '1.2.3',
      },
    },
  })
  expect(unmarked).toEqual({
    'node_modules/@x/linux-x64-musl': { version: '1.2.3', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
    'node_modules/@x/darwin-arm64': { version: '1.2.3', optional: true, os: ['darwin'], cpu: ['arm64'] },
    'node_modules/@x/win32-ia32-msvc': { version: '1.2.3', optional: true, os: ['win32'], cpu: ['ia32'] },
  })
})
