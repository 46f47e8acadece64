'use client'

import type { ReactNode } from 'react'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { messageOf } from '../../api-client.ts'
import { counted, people } from '../../counted.ts'
import { type Enrolment, useChangePeople } from './use-enrolments.ts'

const emails = (count: number) => counted(count, 'waiting email')

/** What is done to people in this campaign alone. Pausing is taken back by an undo; removing asks, for it cancels. */
export function usePeopleVerbs(campaignId: string): {
  pause: (whom: readonly Enrolment[]) => Promise<void>
  resume: (whom: readonly Enrolment[]) => Promise<void>
  putBack: (whom: readonly Enrolment[]) => Promise<void>
  remove: (whom: readonly Enrolment[], then: () => void) => void
  dialog: ReactNode
} {
  const change = useChangePeople(campaignId)
  const { ask, dialog } = useConfirm()
  const idsOf = (whom: readonly Enrolment[]) => whom.map(({ id }) => id)

  async function atOnce(work: () => Promise<string>, undo?: () => Promise<string>) {
    try {
      const said = await work()
      if (undo) toastWithUndo(said, undo)
      else toast.success(said)
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  return {
    dialog,
    pause: (whom) =>
      atOnce(
        async () =>
          `${people((await change('pause', idsOf(whom))).changed)} paused in this campaign. Nothing was cancelled.`,
        async () => `${people((await change('resume', idsOf(whom))).changed)} resumed.`,
      ),
    resume: (whom) =>
      atOnce(
        async () => `${people((await change('resume', idsOf(whom))).changed)} resumed.`,
        async () => `${people((await change('pause', idsOf(whom))).changed)} paused again.`,
      ),
    putBack: (whom) => atOnce(async () => `${people((await change('put_back', idsOf(whom))).changed)} put back.`),
    remove: (whom, then) =>
      ask({
        title: `Take ${whom.length === 1 ? (whom[0]?.prospect ?? 'this person') : people(whom.length)} out of the campaign?`,
        description:
          'What waits for them in this campaign is cancelled. What has been sent stays, and other campaigns go on. Who had no email planned yet, or stands between two emails of a sequence that branches, can be put back.',
        confirmLabel: 'Take out',
        run: async () => {
          const { changed, cancelled } = await change('remove', idsOf(whom))
          then()
          toast.success(`${people(changed)} taken out, ${emails(cancelled)} cancelled.`)
        },
      }),
  }
}
