/** Why an enrolment is set aside, by code. The sentence of `missing-fields` names the fields and is made for each. */
export const ENROLMENT_REASONS = {
  'missing-fields': 'The person lacks fields that the texts need.',
  covered: 'Another campaign has already taken the person through this sequence.',
  'covered-before-merge':
    'The person got this sequence, or a part of it, under another address that was merged into this one.',
  'covered-by-stopped':
    'A campaign on this sequence was stopped before it sent the person anything, and each step of a sequence is for each person once. To send it to them, make a campaign with a copy of the sequence.',
  suppressed: 'The address or its domain was on the suppression list.',
  erased: 'The person was erased.',
  archived: 'The person is archived.',
  unsubscribed: 'The person has unsubscribed.',
  bounced: 'Email to the person bounced before.',
  replied: 'The person has replied.',
  'mailbox-not-connected': 'The mailbox that it was to leave from is not connected.',
  removed: 'A person took them out of the campaign.',
  'campaign-stopped': 'The campaign was stopped before it came to the person.',
} as const

export type EnrolmentReason = keyof typeof ENROLMENT_REASONS

export const ENROLMENT_REASON_CODES = Object.keys(ENROLMENT_REASONS) as [EnrolmentReason, ...EnrolmentReason[]]

export const REMOVED = 'removed' satisfies EnrolmentReason

/** Taken through the sequence elsewhere: nothing that is mended here makes them wanted. */
export const COVERED_REASONS = ENROLMENT_REASON_CODES.filter((code) => code.startsWith('covered'))

/** The sentence of a code, as an expression of SQL. */
export function reasonSentenceSql(code: string, codes: readonly EnrolmentReason[]): string {
  return `CASE ${code} ${codes.map((one) => `WHEN '${one}' THEN '${ENROLMENT_REASONS[one]}'`).join(' ')} END`
}
