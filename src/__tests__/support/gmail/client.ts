/** The Google project of the tests. */
export const CLIENT = { clientId: 'sendonce-tests.apps.example', clientSecret: 'a client secret for tests' }
