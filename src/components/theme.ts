export const THEMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof THEMES)[number]

/**
 * The choice lives in a cookie and not in local storage: the server then writes it into the first byte of the page,
 * so that nothing flashes and no script has to run before the page is drawn.
 */
export const THEME_COOKIE = 'theme'

export function parseTheme(value: string | undefined): Theme {
  return THEMES.find((theme) => theme === value) ?? 'system'
}

/** For the browser: shows the theme at once and keeps it for a year. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing without TLS, where this product also runs
  document.cookie = `${THEME_COOKIE}=${theme}; path=/; max-age=31536000; samesite=lax`
}
