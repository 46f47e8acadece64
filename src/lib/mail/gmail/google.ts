/** This installation as Google knows it, and where Google is. */
export type Google = {
  clientId: string
  clientSecret: string
  authUrl: string
  tokenUrl: string
  revokeUrl: string
  /** Of the Gmail API; Google's own where it is left out. */
  rootUrl?: string
}

type Access = { clientId: string; clientSecret: string }

/** `standIn` is the address of something that plays Google, in tests and in the demo. */
export function googleAt({ clientId, clientSecret }: Access, standIn?: string): Google {
  const at = (path: string) => new URL(path, standIn).href
  if (standIn !== undefined)
    return {
      ...{ clientId, clientSecret },
      ...{ authUrl: at('/o/oauth2/v2/auth'), tokenUrl: at('/token'), revokeUrl: at('/revoke'), rootUrl: at('/') },
    }
  return {
    ...{ clientId, clientSecret },
    authUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    revokeUrl: 'https://oauth2.googleapis.com/revoke',
  }
}
