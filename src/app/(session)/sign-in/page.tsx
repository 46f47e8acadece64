import type { Metadata } from 'next'
import Link from 'next/link'
import { redirect } from 'next/navigation'
import { DemoOffer } from '#components/demo/demo-offer.tsx'
import { type SignInNotice, safeNext } from '#components/session/safe-next.ts'
import { SignInForm } from '#components/session/sign-in-form.tsx'
import { AuthLayout } from '#components/shell/auth-layout.tsx'
import { Callout } from '#components/ui/callout.tsx'
import { database } from '#lib/platform/database.ts'
import { readDemoLogin } from '#lib/platform/demo.ts'
import { isFirstRun } from '#lib/tenancy/people/first-run.ts'
import { readVisit } from '../../visit.ts'

export const metadata: Metadata = { title: 'Sign in' }

const NOTICE: Record<SignInNotice, { tone: 'info' | 'success'; sentence: string }> = {
  'session-ended': { tone: 'info', sentence: 'Your session has ended. Sign in, and you are back where you were.' },
  'signed-out': { tone: 'success', sentence: 'You are signed out.' },
  'password-changed': { tone: 'success', sentence: 'Your password is changed. Sign in with the new one.' },
}

type Search = Promise<Record<string, string | string[] | undefined>>

export default async function SignInPage({ searchParams }: { searchParams: Search }) {
  const { next, notice } = await searchParams
  if (await isFirstRun(database())) redirect('/setup')
  if (await readVisit()) redirect(safeNext(next))
  const demo = await readDemoLogin()
  const told = Object.entries(NOTICE).find(([name]) => name === notice)?.[1]
  return (
    <AuthLayout
      title="Sign in"
      description="To send, and to see what was sent."
      footer={
        <Link href="/forgot-password" className="rounded-sm underline underline-offset-4 hover:text-text">
          Forgot your password?
        </Link>
      }
    >
      {demo && <DemoOffer demo={demo} />}
      {told && (
        <Callout tone={told.tone} className="mb-4">
          {told.sentence}
        </Callout>
      )}
      <SignInForm next={safeNext(next)} />
    </AuthLayout>
  )
}
