import type { Page } from 'playwright-core'
import type { Guest } from '#tests/support/browser/guest.ts'
import type { testApp } from '#tests/support/server/app.ts'

export type App = ReturnType<typeof testApp>
/** A page in one of the states that a person may find it in. */
export type Scene = {
  /** What is special about it; also the name of its picture, for SCREENSHOTS=folder. */
  state: string
  as: 'nobody' | 'owner' | 'admin' | 'member' | 'loner' | 'outcast'
  address?: () => string
  /** The API answers this with 503 while the scene lasts. */
  broken?: string
  /** Put into the page before it is opened, so that it breaks; what the console says of that belongs to the scene. */
  breaks?: (page: Page) => Promise<unknown>
  /** Seen once everything has come. */
  ready: (page: Page) => ReturnType<Page['getByText']>
  /** What the world is like while the scene lasts, and how it is put back. */
  given?: (app: App) => Promise<unknown>
  undone?: (app: App) => Promise<unknown>
  /** Further into the page: a dialog. */
  afterwards?: (page: Page, guests: Guests) => Promise<void>
}

/**
 * What is done on a page is done on each screen anew, and so is what a page finds out about its screen as it opens: rows
 * of tabs, and the panel of an email (`architecture/screens.test.ts` holds the list). Any other page may be opened once and be resized.
 */
export function isOpenedAnew({ path, afterwards }: Scene & { path: string }): boolean {
  return afterwards !== undefined || MEASURES_ITS_SCREEN.includes(path)
}

export const MEASURES_ITS_SCREEN: readonly string[] = [
  '/admin/actions',
  '/admin/email-queue',
  '/campaigns/[id]',
  '/settings/webhooks',
]

/** Each in a browser of their own. */
export type Guests = (as: Scene['as']) => Guest

/** By the page's address on disk. */
export type Scenes = Record<string, Scene[]>

export const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true })
export const text = (words: string) => (page: Page) => page.getByText(words).first()
export const field = (name: string) => (page: Page) => page.getByRole('textbox', { name, exact: true })
export const healthy = text('Postgres answers')

export const LONG_NAME = 'Maximiliane-Wilhelmine von und zu Hohenlohe-Schillingsfürst-Waldenburg'
export const LONG_EMAIL =
  'maximiliane.wilhelmine.von.und.zu.hohenlohe-schillingsfuerst@a-rather-long-company-name.example.com'
