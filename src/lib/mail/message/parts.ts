/** What goes out beside the texts of a message. */
export type MessagePart =
  | { kind: 'ATTACHMENT'; fileName: string; contentType: string; content: Buffer }
  /** Shown as an invitation by mail programs: as text/calendar beside the texts, and as a file for those that know none. */
  | { kind: 'CALENDAR'; fileName: string; method: InvitationMethod; content: Buffer }

export const INVITATION_METHODS = ['REQUEST', 'CANCEL'] as const

export type InvitationMethod = (typeof INVITATION_METHODS)[number]
