'use client'

import { useUrlParams } from '#components/use-url-params.ts'
import { VIEWS, type View } from '../preview/preview-pane.tsx'

/** Which step the preview shows, and how: in the address, and changed without asking the server for the page again. */
export function useEditorView(steps: number) {
  const { params, hrefWith } = useUrlParams()
  const asked = Number(params.get('step') ?? 1)
  const step = Number.isInteger(asked) ? Math.max(1, Math.min(steps, asked)) : 1
  const put = (changes: Record<string, string | null>) => window.history.replaceState(null, '', hrefWith(changes))
  return {
    step,
    view: VIEWS.find((view) => view === params.get('view')) ?? 'mail',
    isPhone: params.get('device') === 'phone',
    showStep: (next: number) => next !== step && put({ step: next === 1 ? null : String(next) }),
    showView: (view: View) => put({ view: view === 'mail' ? null : view }),
    showPhone: (isPhone: boolean) => put({ device: isPhone ? 'phone' : null }),
  }
}
