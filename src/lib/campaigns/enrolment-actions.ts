/** What may be done to people in one campaign, and to them in no other. */
export const ENROLMENT_ACTIONS = ['pause', 'resume', 'remove', 'put_back'] as const
export type EnrolmentAction = (typeof ENROLMENT_ACTIONS)[number]
