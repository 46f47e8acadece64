import { MapPinOff } from 'lucide-react'
import type { Metadata } from 'next'
import Link from 'next/link'
import { MessagePage } from '#components/shell/message-page.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'

export const metadata: Metadata = { title: 'Not found' }

export default function NotFound() {
  return (
    <MessagePage
      icon={<MapPinOff />}
      title="There is nothing at this address"
      sentence="It may be mistyped, or belong to another of your workspaces: switch to that one, and open the link again."
      actions={
        <Link href="/" className={buttonStyle({ variant: 'primary' })}>
          Go to the start
        </Link>
      }
    />
  )
}
