/** Every key begins with what it lists and whose it is, so that one workspace's answers never show in another. */
export const queryKeys = {
  health: () => ['health'] as const,
  scheduledEmails: (workspaceId: string) => ['scheduled-emails', workspaceId] as const,
  campaignScheduledEmails: (workspaceId: string, campaignId: string) =>
    ['scheduled-emails', workspaceId, campaignId] as const,
  pendingScheduledEmails: (workspaceId: string) => ['scheduled-emails', workspaceId, 'pending'] as const,
  quota: (workspaceId: string, localDate: string) => ['quota', workspaceId, localDate] as const,
  session: () => ['session'] as const,
  workspace: (workspaceId: string) => ['workspace', workspaceId] as const,
  members: (workspaceId: string) => ['members', workspaceId] as const,
  invitations: (workspaceId: string) => ['invitations', workspaceId] as const,
  audit: (workspaceId: string) => ['audit', workspaceId] as const,
  auditPage: (workspaceId: string, query: string) => ['audit', workspaceId, query] as const,
}
