/** Why an enrolment is set aside, by code. The sentence of `missing-fields` names the fields and is made for each. */
export const ENROLMENT_REASONS = {
  'missing-fields': 'The prospect lacks fields that the texts need.',
  covered: 'Another campaign has already taken the prospect through this sequence.',
  'covered-before-merge':
    'The prospect got this sequence, or a part of it, as another prospect that was merged into this one.',
  'covered-by-stopped':
    'A campaign on this sequence was stopped before it sent the prospect anything, and each step of a sequence is for each prospect once. To send it to them, make a campaign with a copy of the sequence.',
  suppressed: 'The address or its domain was on the suppression list.',
  erased: 'The prospect was erased.',
  archived: 'The prospect is archived.',
  unsubscribed: 'The prospect has unsubscribed.',
  bounced: 'Email to the prospect bounced before.',
  replied: 'The prospect has replied.',
  'mailbox-not-connected': 'The mailbox that it was to leave from is not connected.',
  removed: 'A person took the prospect out of the campaign.',
  'campaign-stopped': 'The campaign was stopped before it came to the prospect.',
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
