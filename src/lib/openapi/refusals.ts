import type { Operation } from '#lib/contract/operation.ts'

type Refusal = { name: string; says: string; code: string; message: string }

/** How the API refuses, by status: each stands once in the document. */
export const REFUSALS_BY_STATUS: Readonly<Record<number, Refusal>> = {
  400: {
    name: 'DoesNotFit',
    says: 'Something of the request does not fit; `details.fields` names each part with a sentence.',
    code: 'invalid-input',
    message: 'Some of what was sent does not fit: name: This is needed.',
  },
  401: {
    name: 'NotSignedIn',
    says: 'No session and no API key, or one that is not valid (any more).',
    code: 'not-signed-in',
    message: 'You are not signed in, or your session has ended. Sign in.',
  },
  403: {
    name: 'NotAllowed',
    says: 'The role is too low, or the API key lacks the scope; or the request comes from a page of another site.',
    code: 'scope-missing',
    message: 'This needs an API key with the scope send or admin; “Shop” has read.',
  },
  404: {
    name: 'NotFound',
    says: 'There is nothing at this address, or it belongs to another workspace.',
    code: 'not-found',
    message: 'There is nothing here, or it belongs to another workspace.',
  },
  408: {
    name: 'TooSlow',
    says: 'The body did not come in time.',
    code: 'too-slow',
    message: 'Not all of it arrived within 30 seconds.',
  },
  409: {
    name: 'Conflict',
    says: 'What is there does not allow it; or the Idempotency-Key stands for another request, or for one that is still being answered.',
    code: 'key-reused',
    message: 'This Idempotency-Key was used for another request. Use a new key for each thing that you ask for.',
  },
  410: {
    name: 'Gone',
    says: 'The link has been used, or has expired.',
    code: 'expired',
    message: 'This link has expired.',
  },
  412: {
    name: 'ChangedSince',
    says: 'It has been changed since the version in If-Match. Nothing was kept.',
    code: 'changed-since',
    message:
      'It has been changed since you looked at it, so nothing of yours was kept. Look at it again, and change it from there.',
  },
  413: {
    name: 'TooLarge',
    says: 'The body is larger than it may be.',
    code: 'too-large',
    message: 'The body is larger than 5 MB.',
  },
  415: {
    name: 'NotJson',
    says: 'The body is of a type that is not taken here.',
    code: 'not-json',
    message: 'Send the body as JSON, with the header Content-Type: application/json.',
  },
  422: {
    name: 'TestFailed',
    says: 'The test of the mailbox failed, and nothing was kept; `details` says at which step.',
    code: 'mailbox-test-failed',
    message: 'The server refused the user name or the password.',
  },
  429: {
    name: 'TooMany',
    says: 'That was too often. Retry-After says when to come back.',
    code: 'too-many-attempts',
    message: 'That was too often. Try again in 1 minute.',
  },
  500: {
    name: 'OurFault',
    says: 'A fault of Sendonce. The log has it under the id in x-request-id.',
    code: 'internal',
    message: 'Something went wrong on our side. Nothing was lost; try again, and if it happens again, quote 0199b1f0.',
  },
  502: {
    name: 'ProviderRefused',
    says: 'The mail server of the workspace did not take it.',
    code: 'not-sent',
    message: 'The test was not sent. The server refused the password.',
  },
  503: {
    name: 'Unavailable',
    says: 'Too much at once, or the database or another part of Sendonce cannot be reached. Try again later, under the same Idempotency-Key.',
    code: 'too-busy',
    message: 'Too much is being sent at once. Try again in a few seconds.',
  },
}

/** With which statuses an operation may refuse: by what it asks for, and by what it names itself. */
export function refusalsOf({ method, access, params, versioned, refuses = [] }: Operation): number[] {
  const isOfWorkspace = access !== 'public' && access !== 'secret' && access !== 'person'
  const isChange = method !== 'GET'
  const statuses = [
    400,
    ...(access === 'public' ? [] : [401]),
    ...(isChange || isOfWorkspace || access === 'person' ? [403] : []),
    ...(isOfWorkspace || params ? [404] : []),
    ...(isChange ? [408, 409, 413, 415] : []),
    ...(isChange && versioned ? [412] : []),
    ...refuses,
    429,
    500,
    503,
  ]
  return [...new Set(statuses)].sort((one, other) => one - other)
}
