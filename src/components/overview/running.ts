/** Which campaigns the overview shows; asked for by the page on the server as well. */
export const RUNNING = { status: 'RUNNING', limit: 5 } as const
