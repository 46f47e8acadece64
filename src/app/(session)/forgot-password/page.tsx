import type { Metadata } from 'next'
import Link from 'next/link'
import { ForgotPasswordForm } from '#components/session/forgot-password-form.tsx'
import { AuthLayout } from '#components/shell/auth-layout.tsx'

export const metadata: Metadata = { title: 'Forgot your password' }

export default function ForgotPasswordPage() {
  return (
    <AuthLayout
      title="Forgot your password?"
      description="Say which address you sign in with, and we mail you a link to choose a new one."
      footer={
        <Link href="/sign-in" className="rounded-sm underline underline-offset-4 hover:text-text">
          Back to signing in
        </Link>
      }
    >
      <ForgotPasswordForm />
    </AuthLayout>
  )
}
