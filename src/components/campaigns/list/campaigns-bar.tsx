'use client'

import { Archive, Pause, Play, X } from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { CAMPAIGN_STATUS_LOOK } from '../../status-look.ts'
import { type ManyVerb, useManyCampaigns } from '../use-campaign-verbs.tsx'
import type { ListedCampaign } from '../use-campaigns.ts'

const BUTTONS = [
  { verb: 'pause', label: 'Pause', done: 'paused', icon: <Pause /> },
  { verb: 'resume', label: 'Resume', done: 'resumed', icon: <Play /> },
  { verb: 'archive', label: 'Archive', done: 'archived', icon: <Archive /> },
] as const

const OPPOSITE = { pause: 'resume', resume: 'pause', archive: 'restore' } as const satisfies Record<string, ManyVerb>

export const campaignsIn = (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'campaign' : 'campaigns'}`

/** What can be done with all that are ticked; those for which it makes no sense are left out, and named. */
export function CampaignsBar({ chosen, onClear }: { chosen: readonly ListedCampaign[]; onClear: () => void }) {
  const run = useManyCampaigns()
  const [isBusy, setIsBusy] = useState(false)

  async function act({ verb, done }: (typeof BUTTONS)[number]) {
    setIsBusy(true)
    try {
      const fit = chosen.filter(({ actions }) => actions.includes(verb))
      const left = chosen.filter((one) => !fit.includes(one))
      const { changed, problem } = await run(verb, fit)
      const words = [
        `${campaignsIn(changed.length)} ${done}.`,
        left.length > 0 && `Left out: ${left.map(leftOut).join(', ')}.`,
        problem,
      ]
      const said = words.filter(Boolean).join(' ')
      onClear()
      if (changed.length === 0) return void toast.error(said)
      toastWithUndo(said, async () => {
        const undone = await run(OPPOSITE[verb], changed)
        return `Taken back for ${campaignsIn(undone.changed.length)}. ${undone.problem ?? ''}`.trim()
      })
    } finally {
      setIsBusy(false)
    }
  }

  return (
    <section
      aria-label="What to do with those that are selected"
      className="sticky bottom-3 z-20 mx-auto mt-3 flex w-fit max-w-full flex-wrap items-center justify-center gap-2 rounded-xl border border-border bg-raised px-3 py-2 shadow-raised"
    >
      <p role="status" className="px-1 font-medium text-sm">
        {campaignsIn(chosen.length)} selected
      </p>
      {BUTTONS.map((button) => (
        <Button
          key={button.verb}
          icon={button.icon}
          disabled={isBusy || !chosen.some(({ actions }) => actions.includes(button.verb))}
          onClick={() => act(button)}
        >
          {button.label}
        </Button>
      ))}
      <button
        type="button"
        aria-label="Select nothing"
        onClick={onClear}
        className={buttonStyle({ variant: 'ghost', shape: 'icon' })}
      >
        <X aria-hidden className="size-4" />
      </button>
    </section>
  )
}

const leftOut = ({ name, status }: ListedCampaign) => `${name} (${CAMPAIGN_STATUS_LOOK[status].word.toLowerCase()})`
