'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '#components/api-client.ts'
import { useSavedEdit } from '#components/form/use-saved-edit.ts'
import { queryKeys } from '#components/query-keys.ts'
import { OF_A_DRAFT, useAfterPause } from '#components/sequences/preview/use-preview.ts'
import { useSession } from '#components/session/session-context.tsx'
import { draftOf, inputOf, isSaved, type Template, type TemplateDraft } from './draft.ts'

/** A person saves it: programs send what is saved, from that moment on. */
export function useTemplateEditor(live: Template) {
  const { workspace, person } = useSession()
  const queryClient = useQueryClient()
  const queryKey = queryKeys.template(workspace.id, live.id)
  return useSavedEdit<Template, TemplateDraft>({
    name: `template:${person.id}:${live.id}`,
    live,
    savesItself: false,
    draftOf,
    isSaved,
    send: async (draft, base) => {
      const call = { params: { id: live.id }, workspaceId: workspace.id, ifVersion: base.version }
      const saved = await api('PATCH /api/templates/[id]', { ...call, body: inputOf(draft) })
      queryClient.setQueryData(queryKey, saved)
      void queryClient.invalidateQueries({ queryKey: queryKeys.templates(workspace.id) })
      return saved
    },
    reload: () => queryClient.invalidateQueries({ queryKey }),
  })
}

export type TemplateAsk = {
  texts: { subject: string; bodyText: string; bodyHtml: string }
  fields: Record<string, string>
}

/** What the person who writes would get, by the writer of the real emails. */
export function useTemplatePreview(templateId: string, ask: TemplateAsk) {
  const { workspace } = useSession()
  const asked = useAfterPause(JSON.stringify(ask))
  return useQuery({
    queryKey: queryKeys.templatePreview(workspace.id, templateId, asked),
    queryFn: ({ signal }) =>
      api('POST /api/templates/[id]/preview', {
        params: { id: templateId },
        body: JSON.parse(asked),
        workspaceId: workspace.id,
        signal,
      }),
    ...OF_A_DRAFT,
  })
}
