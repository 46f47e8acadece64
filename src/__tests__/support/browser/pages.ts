import { trackedPaths } from '#tests/support/source-files.ts'

/** The address of every page, as its folders spell it: `/campaigns/[id]`. */
export function pageAddresses(): string[] {
  return trackedPaths()
    .filter((path) => /^src\/app\/(.*\/)?page\.tsx$/.test(path))
    .map(addressOf)
    .sort()
}

export function addressOf(path: string): string {
  const folders = path
    .split('/')
    .slice(2, -1)
    .filter((name) => !/^\(.*\)$/.test(name))
  return `/${folders.join('/')}`
}
