import type { ApiScope } from '#lib/tenancy/api-keys/scopes.ts'

export const SCOPE_WORD: Record<ApiScope, { name: string; sentence: string }> = {
  read: { name: 'Read', sentence: 'Looks at everything that members see, people’s data included.' },
  send: { name: 'Send', sentence: 'Sends email, and does what members do: people, sequences, campaigns.' },
  admin: { name: 'Admin', sentence: 'Also does what admins do: settings, mailboxes, the email queue.' },
}
