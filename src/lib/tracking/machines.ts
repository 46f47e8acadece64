/** Programs that say who they are: crawlers, scanners of links, libraries, and what shows previews in chats. */
const PROGRAMS =
  /bot\b|bots\b|crawl|spider|scan|preview|monitor|headless|phantom|python|curl|wget|libwww|httpclient|http-client|java\/|okhttp|axios|node-fetch|undici|\bgo-http|ruby|perl|facebookexternalhit|whatsapp|slack|telegram|skype|barracuda|mimecast|proofpoint|trendmicro|symantec|messagelabs|fortimail|forcepoint|sophos|ironport|safelinks|urldefense/i

/** A program that loads every picture of every mail ahead, read or not, and says nothing else of itself. */
const LOADS_ALL_AHEAD = /^Mozilla\/5\.0$/

/**
 * Whether a request is certainly no person's, by what it says itself. Mail services that load a picture when it is shown
 * (Gmail's, Yahoo's) are not among them. Nothing of what is looked at here is kept.
 */
export function isMachine(method: string, headers: Headers): boolean {
  if (method !== 'GET') return true
  const program = headers.get('user-agent')?.trim() ?? ''
  if (program === '' || PROGRAMS.test(program) || LOADS_ALL_AHEAD.test(program)) return true
  return ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'].some((name) =>
    /prefetch|prerender|preview/i.test(headers.get(name) ?? ''),
  )
}
