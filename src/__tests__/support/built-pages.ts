import { ensureBuild } from '#cli/home/prepare.ts'

/** Journeys go through the pages as they are shipped. */
export default async function setup() {
  await ensureBuild(() => undefined)
}
