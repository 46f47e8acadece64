'use client'

import { Check, X } from 'lucide-react'
import type { Detail } from './use-email.ts'

const WORDS: Record<string, string> = {
  'campaign-running': 'The campaign was running',
  'prospect-active': 'The person was active',
  'not-had-before': 'They had not had this step before',
  'not-suppressed': 'The address was not suppressed',
  'merge-fields-complete': 'Every field of the text was filled',
  'previous-step-sent': 'The step before was sent, and its wait over',
  'mailbox-connected': 'The mailbox was connected',
  'mailbox-not-deferred': 'The mailbox was not pausing',
  'sending-window': 'The sending window was open',
  'workspace-quota': 'Within the workspace’s quota',
  'mailbox-limit': 'Within the mailbox’s limit',
  'rolling-24h': 'Within the limit of 24 hours',
  spacing: 'Far enough from the email before',
}

/** What each guard answered when it was handed over last. */
export function Receipt({ attempts }: { attempts: Detail['attempts'] }) {
  const receipt = attempts.find((attempt) => attempt.receipt !== null)?.receipt
  if (!receipt) return null
  return (
    <section aria-labelledby="email-receipt">
      <h3 id="email-receipt" className="mb-2 font-semibold text-sm">
        Receipt
      </h3>
      <ul className="flex flex-col gap-1 text-[0.8125rem]">
        {Object.entries(receipt).map(([name, said]) => (
          <li key={name} className="flex items-start gap-2">
            {said === 'ok' ? (
              <Check role="img" aria-label="Yes" className="mt-0.5 size-3.5 shrink-0 text-success-text" />
            ) : (
              <X role="img" aria-label="No" className="mt-0.5 size-3.5 shrink-0 text-danger-text" />
            )}
            <span className="wrap-anywhere min-w-0">{said === 'ok' ? (WORDS[name] ?? name) : String(said)}</span>
          </li>
        ))}
      </ul>
    </section>
  )
}
