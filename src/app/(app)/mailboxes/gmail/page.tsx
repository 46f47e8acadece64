import type { Metadata } from 'next'
import { GmailReturn } from '#components/mailboxes/gmail-return.tsx'

export const metadata: Metadata = { title: 'Connect Gmail' }

export default function GmailReturnPage() {
  return <GmailReturn />
}
