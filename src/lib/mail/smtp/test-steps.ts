/** What a person watches, in this order. */
export const TEST_STEPS = ['name', 'connection', 'encryption', 'login', 'message'] as const
export type TestStep = (typeof TEST_STEPS)[number]

/** How far a test came, as the protocol has it. */
export const TEST_STAGES = ['name', 'address', 'connection', 'encryption', 'greeting', 'login', 'message'] as const
export type TestStage = (typeof TEST_STAGES)[number]
