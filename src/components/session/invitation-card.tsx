'use client'

import { useQuery } from '@tanstack/react-query'
import { MailX } from 'lucide-react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { ApiError, api, messageOf } from '../api-client.ts'
import { AuthLayout } from '../shell/auth-layout.tsx'
import { Callout } from '../ui/callout.tsx'
import { LoadingNote, Skeleton } from '../ui/skeleton.tsx'
import { AcceptAsNewPerson, AcceptBySigningIn, AcceptSignedIn, SignOutFirst } from './invitation-forms.tsx'
import { HOME } from './safe-next.ts'
import { useHashToken } from './use-hash-token.ts'

type Preview = Received<'POST /api/invitations/preview'>

/** `signedInAs` is the person signed in here, who need not be the one that was invited. */
export function InvitationCard({ signedInAs }: { signedInAs: string | null }) {
  const token = useHashToken()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => api('POST /api/invitations/preview', { body: { token: token ?? '' }, signal }),
    enabled: typeof token === 'string',
    staleTime: Number.POSITIVE_INFINITY,
  })

  if (token === null) {
    return (
      <DeadInvitation title="This link is not complete" signedInAs={signedInAs}>
        Part of it was lost on the way here. Open it from the mail again, or copy the whole address.
      </DeadInvitation>
    )
  }
  if (error instanceof ApiError && error.status === 410) return <SpentInvitation signedInAs={signedInAs} />
  if (error) {
    return (
      <AuthLayout title="Your invitation">
        <div role="alert">
          <Callout
            tone="danger"
            actions={
              <Button onClick={() => refetch()} isLoading={isFetching}>
                Try again
              </Button>
            }
          >
            {messageOf(error)}
          </Callout>
        </div>
      </AuthLayout>
    )
  }
  if (token === undefined || !data) return <LoadingInvitation />
  return (
    <AuthLayout
      title={`Join ${data.workspaceName}`}
      description={
        <>
          {data.inviterName} invited {data.email} as {data.role === 'member' ? 'a member' : `an ${data.role}`}.
        </>
      }
    >
      <Acceptance token={token} preview={data} signedInAs={signedInAs} />
    </AuthLayout>
  )
}

interface AcceptanceProps {
  token: string
  preview: Preview
  signedInAs: string | null
}

function Acceptance({ token, preview: { email, workspaceName, hasAccount }, signedInAs }: AcceptanceProps) {
  const spent = <SpentNote />
  if (signedInAs === email) return <AcceptSignedIn token={token} workspaceName={workspaceName} spent={spent} />
  if (signedInAs !== null) return <SignOutFirst invited={email} signedInAs={signedInAs} />
  if (hasAccount) return <AcceptBySigningIn token={token} email={email} spent={spent} />
  return <AcceptAsNewPerson token={token} email={email} spent={spent} />
}

/** It was revoked or used while this page was open. */
function SpentNote() {
  return (
    <div role="alert">
      <Callout tone="warning" title="This invitation does not work any more">
        It was used or revoked while this page was open, or has expired. Ask the person who invited you to send it
        again.
      </Callout>
    </div>
  )
}

function SpentInvitation({ signedInAs }: { signedInAs: string | null }) {
  return (
    <DeadInvitation title="This invitation does not work any more" signedInAs={signedInAs}>
      It has been used, revoked or has expired: a link works for seven days, once, and a newer mail replaces it. If you
      have joined already, {signedInAs ? 'you are all set' : 'sign in'}; otherwise ask the person who invited you to
      send it again.
    </DeadInvitation>
  )
}

function DeadInvitation(props: { title: string; signedInAs: string | null; children: ReactNode }) {
  return (
    <AuthLayout title={props.title}>
      <div className="flex flex-col items-start gap-4 text-sm">
        <p className="flex gap-2.5">
          <MailX aria-hidden className="mt-0.5 size-4 shrink-0 text-muted" />
          <span className="min-w-0">{props.children}</span>
        </p>
        {props.signedInAs ? (
          <Link href={HOME} className={buttonStyle({ variant: 'primary' })}>
            Open Sendonce
          </Link>
        ) : (
          <Link href="/sign-in" className={buttonStyle({ variant: 'primary' })}>
            Sign in
          </Link>
        )}
      </div>
    </AuthLayout>
  )
}

function LoadingInvitation() {
  return (
    <AuthLayout title="Your invitation">
      <div className="flex flex-col gap-4">
        <LoadingNote what="Reading the invitation" />
        <Skeleton className="h-4 w-3/4" />
        <Skeleton className="h-8 w-full" />
        <Skeleton className="h-8 w-full" />
      </div>
    </AuthLayout>
  )
}
