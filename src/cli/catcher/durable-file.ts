import { open, rename, rm } from 'node:fs/promises'

/** Writes a file so that it is either whole or absent under its name. The folder still needs `syncFolder`. */
export async function writeWhole(path: string, content: Iterable<Buffer | string> | AsyncIterable<Buffer | string>) {
  const temporaryPath = `${path}.tmp`
  const file = await open(temporaryPath, 'w', 0o600)
  try {
    for await (const chunk of content) await file.writeFile(chunk)
    await file.sync()
    await rename(temporaryPath, path)
  } catch (error) {
    await rm(temporaryPath, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Until the folder itself is synced, a rename inside it may not survive a power cut. */
export async function syncFolder(path: string) {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
