/** What can be done to many people at once. */
export const ACTIONS_ON_MANY = ['add-to-list', 'remove-from-list', 'pause', 'resume', 'archive', 'restore'] as const

export type ActionOnMany = (typeof ACTIONS_ON_MANY)[number]
