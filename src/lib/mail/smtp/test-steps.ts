/** What a person watches, in this order; drafts and their fence are Gmail's. */
export const TEST_STEPS = ['name', 'connection', 'encryption', 'login', 'draft', 'fence', 'message'] as const
export type TestStep = (typeof TEST_STEPS)[number]

/** How far a test came, as the protocol has it. */
export const TEST_STAGES = [...TEST_STEPS, 'address', 'greeting'] as const
export type TestStage = (typeof TEST_STAGES)[number]
