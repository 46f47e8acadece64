import { ensureBuild } from '#cli/home/prepare.ts'
import { unpackedBrowser } from './unpacked-browser.ts'

/** Journeys go through the pages as they are shipped, in a browser that no other test is still unpacking. */
export default async function setup() {
  await Promise.all([ensureBuild(() => undefined), unpackedBrowser()])
}
