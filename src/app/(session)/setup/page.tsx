import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { DemoOffer } from '#components/demo/demo-offer.tsx'
import { SetupForm } from '#components/session/setup-form.tsx'
import { AuthLayout } from '#components/shell/auth-layout.tsx'
import { database } from '#lib/platform/database.ts'
import { readDemoLogin } from '#lib/platform/demo.ts'
import { isFirstRun } from '#lib/tenancy/people/first-run.ts'

export const metadata: Metadata = { title: 'Set up' }

export default async function SetupPage() {
  if (!(await isFirstRun(database()))) redirect('/sign-in')
  const demo = await readDemoLogin()
  return (
    <AuthLayout
      title="Welcome to Sendonce"
      description="Nobody is here yet: you become the first owner, and everybody else comes by your invitation."
    >
      {demo && !demo.isHere && <DemoOffer demo={demo} />}
      <SetupForm />
    </AuthLayout>
  )
}
