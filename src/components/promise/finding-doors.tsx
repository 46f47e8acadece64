'use client'

import Link from 'next/link'
import type { ReactNode } from 'react'
import type { Finding } from './use-promise.ts'

const link = 'break-all underline decoration-control underline-offset-2 hover:decoration-current'

/** Each of what was found, as a person knows it, with a way to it. */
export function FindingDoors({ findings }: { findings: readonly Finding[] }) {
  return (
    <ul className="mt-2 flex flex-col divide-y divide-border rounded-md border border-border bg-surface px-3 text-text">
      {findings.map((finding) => (
        <li
          key={`${finding.kind} ${finding.id} ${finding.date} ${finding.campaign?.id} ${finding.state}`}
          className="flex flex-wrap items-baseline gap-x-2 py-1.5"
        >
          <Named finding={finding} />
        </li>
      ))}
    </ul>
  )
}

function Named({ finding }: { finding: Finding }): ReactNode {
  const { kind, id, name, prospectId, campaign, date, state } = finding
  if (kind === 'workspace-days') return <Door href="/settings/sending">{`The quota of ${date}`}</Door>
  if (kind === 'mailboxes' || kind === 'mailbox-days')
    return <Door href="/mailboxes">{`${name ?? 'A mailbox'}${date ? ` on ${date}` : ''}`}</Door>
  if (kind === 'counts')
    return (
      <Door href={campaign ? `/campaigns/${campaign.id}?tab=emails` : '/admin/email-queue'}>
        {`${state ?? 'Emails'}, ${date}${campaign ? `, in ${campaign.name}` : ''}`}
      </Door>
    )
  if (kind === 'people-counts') {
    if (campaign) return <Door href={`/campaigns/${campaign.id}?tab=people`}>{`The people of ${campaign.name}`}</Door>
    return <Door href={id ? `/prospects?list=${id}` : '/prospects'}>{id ? `The list ${name}` : 'All prospects'}</Door>
  }
  return (
    <>
      {kind === 'emails' ? (
        <Door href={`/admin/email-queue?email=${id}`}>{name ?? 'An email'}</Door>
      ) : prospectId && name ? (
        <Door href={`/prospects/${prospectId}`}>{name}</Door>
      ) : (
        (name ?? 'An erased person')
      )}
      {campaign && (
        <>
          <span className="text-muted">in</span>
          <Door href={`/campaigns/${campaign.id}?tab=${kind === 'emails' ? 'emails' : 'people'}`}>{campaign.name}</Door>
        </>
      )}
      {state && <span className="text-[0.8125rem] text-muted">{state}</span>}
    </>
  )
}

function Door({ href, children }: { href: string; children: string }) {
  return (
    <Link href={href} prefetch={false} className={link}>
      {children}
    </Link>
  )
}
