/** What a workspace needs before anything goes out, and a preview fills with a placeholder. */
export const LACKS = ['mailbox', 'postal-address'] as const

export type Lack = (typeof LACKS)[number]
