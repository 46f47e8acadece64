/** What the customers of a mail service put into the SPF record of their domain, by the end of its servers' names. */
const MECHANISM_OF: Record<string, string> = {
  'gmail.com': 'include:_spf.google.com',
  'office365.com': 'include:spf.protection.outlook.com',
  'fastmail.com': 'include:spf.messagingengine.com',
  'zoho.com': 'include:zohomail.com',
  'zoho.eu': 'include:zohomail.eu',
  'amazonaws.com': 'include:amazonses.com',
  'postmarkapp.com': 'include:spf.mtasv.net',
  'mailgun.org': 'include:mailgun.org',
  'sendgrid.net': 'include:sendgrid.net',
}

/** What lets the servers send for the domain; of servers that belong to no service, their own addresses. */
export function mechanismsFor(hosts: readonly string[]): string[] {
  const own = hosts.flatMap((host) => {
    const service = Object.keys(MECHANISM_OF).find((end) => host === end || host.endsWith(`.${end}`))
    if (service) return [MECHANISM_OF[service] ?? '']
    return /^[\d.]+$/.test(host) || host.includes(':') ? [] : [`a:${host}`]
  })
  return [...new Set(own)]
}

/** The record as it should stand: what is there, with what it lacks before its end. A receiver reads one record only. */
export function spfWith(present: string | undefined, mechanisms: readonly string[]): string {
  // Without a server that is known, the one that takes the domain's mail is the best guess; none at all would refuse everything.
  const start = mechanisms.length === 0 ? 'v=spf1 mx ~all' : 'v=spf1 ~all'
  const parts = (present ?? start).split(/\s+/).filter(Boolean)
  const missing = mechanisms.filter((mechanism) => !parts.some((part) => isSame(part, mechanism)))
  const end = parts.findIndex((part) => /^[-~?+]?all$|^redirect=/i.test(part))
  const at = end < 0 ? parts.length : end
  return [...parts.slice(0, at), ...missing, ...parts.slice(at)].join(' ')
}

function isSame(part: string, mechanism: string): boolean {
  return part.replace(/^\+/, '').toLowerCase() === mechanism.toLowerCase()
}

export function lacksOf(present: string, mechanisms: readonly string[]): string[] {
  const parts = present.split(/\s+/)
  return mechanisms.filter((mechanism) => !parts.some((part) => isSame(part, mechanism)))
}
