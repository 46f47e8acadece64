import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { env } from './env.ts'

/** What `npm start` keeps of a demo, in DEMO_DIR: how to get in; and, once it is there, that it is to be removed. */
export const DEMO_FILE = 'demo.json'
export const DEMO_REMOVAL = 'remove'

export type DemoLogin = {
  url: string
  mainUrl: string
  email: string
  password: string
  /** This very server is the demo, and not the installation beside it. */
  isHere: boolean
}

/** Null where no demo is there to be opened, as everywhere but at home. */
export async function readDemoLogin(): Promise<DemoLogin | null> {
  const { DEMO_DIR, APP_URL } = env()
  if (!DEMO_DIR) return null
  try {
    const { isMade, url, mainUrl, email, password } = JSON.parse(await readFile(join(DEMO_DIR, DEMO_FILE), 'utf8'))
    return isMade && url ? { url, mainUrl, email, password, isHere: url === APP_URL } : null
  } catch {
    return null
  }
}

/** The process that started the demo sees it, ends the demo's servers and drops its database. */
export async function askForRemovalOfDemo(): Promise<void> {
  const { DEMO_DIR } = env()
  if (DEMO_DIR) await writeFile(join(DEMO_DIR, DEMO_REMOVAL), '')
}
