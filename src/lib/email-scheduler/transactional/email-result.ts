/** What a program needs to know of an email that it gave us. */
export const EMAIL_RESULTS = ['sent', 'queued', 'unknown', 'failed', 'cancelled'] as const

export type EmailResult = (typeof EMAIL_RESULTS)[number]
