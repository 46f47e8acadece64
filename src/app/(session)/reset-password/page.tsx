import type { Metadata } from 'next'
import { ResetPasswordForm } from '#components/session/reset-password-form.tsx'
import { AuthLayout } from '#components/shell/auth-layout.tsx'

export const metadata: Metadata = { title: 'Choose a new password' }

export default function ResetPasswordPage() {
  return (
    <AuthLayout title="Choose a new password" description="It ends all your sessions, on every device.">
      <ResetPasswordForm />
    </AuthLayout>
  )
}
