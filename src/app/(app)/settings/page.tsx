import type { Metadata } from 'next'
import { WorkspaceSettings } from '#components/settings/workspace-settings.tsx'

export const metadata: Metadata = { title: 'Workspace settings' }

export default function SettingsPage() {
  return <WorkspaceSettings />
}
