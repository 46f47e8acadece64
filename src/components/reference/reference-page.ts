import type { Theme } from '../theme.ts'

/** Written by the build (cli/home/reference-script.ts) into public/, and loaded by this page alone. */
export const REFERENCE_SCRIPT = '/reference/scalar.js'

const DOCUMENT = '/api/openapi.json'

/** Nothing of it asks anybody but us: no fonts, no proxy, no figures, no services of the maker's. */
const SETTINGS = {
  url: DOCUMENT,
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'json',
  // A key that was typed in is forgotten with the page.
  persistAuth: false,
  hideDarkModeToggle: true,
  // Its own greys and greens are too faint to be read by everybody.
  customCss: `
.light-mode { --scalar-color-2: #45454f; --scalar-color-3: #5a5a65; --scalar-color-green: #0b6b45; --scalar-color-blue: #1d4f9c;
  --scalar-color-orange: #934408; --scalar-color-red: #b3261e; --scalar-color-yellow: #7a5200; --scalar-color-purple: #5b3fb8; }
.dark-mode { --scalar-color-2: #c4c4cd; --scalar-color-3: #a9a9b4; }`,
}

const STYLE = `
:root { color-scheme: light dark; }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
body { margin: 0; font: 16px/1.5 ui-sans-serif, system-ui, sans-serif;
  color: light-dark(#18181b, #ececf0); background: light-dark(#ffffff, #0f0f12); }
.back { display: block; padding: 10px 20px; border-bottom: 1px solid light-dark(#e3e3e8, #2b2b33); font-size: 14px; }
.back a { color: light-dark(#4338ca, #a9adff); }
.waiting { padding: 32px 20px; }
`

/** Shows it as the product is shown, and lets go of a key that nobody has typed in: the session is meant then. */
const start = ({ theme, isSignedIn }: ReferenceLook) => `
const isDark = ${theme === 'system' ? `matchMedia('(prefers-color-scheme: dark)').matches` : String(theme === 'dark')}
const customFetch = (input, init) => {
  const request = new Request(input, init)
  if (/^Bearer\\s*$/i.test(request.headers.get('authorization') ?? '')) request.headers.delete('authorization')
  return fetch(request)
}
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(SETTINGS)}, customFetch,
  authentication: { preferredSecurityScheme: '${isSignedIn ? 'session' : 'key'}' }, forceDarkModeState: isDark ? 'dark' : 'light' })
document.querySelector('.waiting').remove()
`

type ReferenceLook = {
  nonce: string
  theme: Theme
  /** Their session is what they try with; everybody else needs a key. */
  isSignedIn: boolean
}

/** A document by itself, so that a script of this size and its styles touch no other page. */
export function referencePage(look: ReferenceLook): string {
  const { nonce, theme } = look
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>API reference · Sendonce</title>
<link rel="icon" href="/icon.svg">
<style>${STYLE}</style>
</head>
<body>
<nav class="back" aria-label="Sendonce"><a href="/overview">Back to Sendonce</a></nav>
<p class="waiting">The reference is being loaded. What it shows is in <a href="${DOCUMENT}">the API’s document</a>.</p>
<div id="reference"></div>
<script nonce="${nonce}" src="${REFERENCE_SCRIPT}"></script>
<script nonce="${nonce}">${start(look)}</script>
</body>
</html>
`
}
