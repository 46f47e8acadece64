'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { api } from '#components/api-client.ts'
import { live } from '#components/live/live.ts'
import { queryKeys } from '#components/query-keys.ts'
import { EditedPage, isId, LoadingEditor } from '#components/sequences/editor/edited-page.tsx'
import { useSession } from '#components/session/session-context.tsx'
import { TEMPLATES } from '../place.ts'

/** As of a sequence: no other state of this page waits for it. */
const TemplateEditor = dynamic(async () => (await import('./template-editor.tsx')).TemplateEditor, {
  ssr: false,
  loading: () => <LoadingEditor what="template" />,
})

export function TemplatePage({ id }: { id: string }) {
  const { workspace } = useSession()
  const queryClient = useQueryClient()
  const call = { params: { id }, workspaceId: workspace.id }
  const query = useQuery({
    queryKey: queryKeys.template(workspace.id, id),
    queryFn: ({ signal }) => api('GET /api/templates/[id]', { ...call, signal }),
    enabled: isId(id),
    ...live,
  })

  async function restore() {
    const template = await api('POST /api/templates/[id]/restore', call)
    queryClient.setQueryData(queryKeys.template(workspace.id, id), template)
    void queryClient.invalidateQueries({ queryKey: queryKeys.templates(workspace.id) })
  }

  return (
    <EditedPage
      id={id}
      query={query}
      what="template"
      back={TEMPLATES}
      archived="Calls that name it are refused. Bring it back to read it, change it or send it."
      restore={restore}
    >
      {(template) => <TemplateEditor key={id} live={template} />}
    </EditedPage>
  )
}
