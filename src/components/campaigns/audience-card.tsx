'use client'

import { useMutation } from '@tanstack/react-query'
import { Upload, UserPlus } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Field } from '#components/ui/control/field.tsx'
import { FormError } from '#components/ui/control/form-error.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import type { Received } from '#lib/contract/over-the-wire.ts'
import { api, messageOf } from '../api-client.ts'
import { counted, people } from '../counted.ts'
import { useLists, useSegments } from '../prospects/use-audience.ts'
import { useSession } from '../session/session-context.tsx'
import { IntentLink } from '../shell/intent-link.tsx'
import { ENROLMENT_LEDGER, ENROLMENT_STATE_LOOK } from '../status-look.ts'
import { Card } from '../ui/card.tsx'
import { LedgerBar } from '../ui/ledger-bar.tsx'
import { useOnDemand } from '../use-on-demand.ts'
import { useUrlParams } from '../use-url-params.ts'
import { type Campaign, useProgress, useRefreshCampaigns } from './use-campaigns.ts'

type Enrolled = Received<'POST /api/campaigns/[id]/prospects'>
type Counts = Omit<Enrolled, 'nextCursor'>

const EVERYBODY = 'everybody'
const SEGMENT = 'segment:'
const IMPORT = 'import:'
const loadImportDialog = async () => (await import('./making/import-dialog.tsx')).ImportDialog
const NOTHING: Counts = {
  enrolled: 0,
  blocked: 0,
  covered: 0,
  already: 0,
  suppressed: 0,
  unsubscribed: 0,
  inactive: 0,
  unknown: 0,
}

/** Who gets it, and adding more: a list, a segment, everybody, or the people of a file or a paste. */
export function AudienceCard({ campaign, title = 'Who gets it' }: { campaign: Campaign; title?: string }) {
  const { workspace } = useSession()
  const refresh = useRefreshCampaigns()
  const [whom, setWhom] = useState('')
  const { data: progress } = useProgress(campaign.id)
  const { data: found } = useLists()
  const { data: saved } = useSegments()
  const lists = found?.lists ?? []
  const segments = saved?.segments ?? []
  const { params, change } = useUrlParams()
  const [ImportDialog, fetchImportDialog] = useOnDemand(loadImportDialog)
  const isImporting = params.get('open') === 'import'
  const onImporting = useEffectEvent(() => void fetchImportDialog())
  useEffect(() => {
    if (isImporting) onImporting()
  }, [isImporting])

  const { mutate, mutateAsync, isPending, error, variables } = useMutation({
    mutationFn: (chosen: string) => enrolAll(workspace.id, campaign.id, chosen),
    onSuccess: async (counts) => {
      setWhom('')
      await refresh()
      toast.success(sentenceOf(counts), { duration: 10_000 })
    },
  })
  const enrolments = progress?.ledger.enrolments
  return (
    <Card title={title} description="Nobody is enrolled twice, and nobody gets a step of this sequence twice.">
      <div className="flex flex-col gap-4">
        {enrolments && enrolments.total > 0 && (
          <>
            <Explained campaignId={campaign.id} enrolments={enrolments} isBefore={campaign.launchedAt === null} />
            <LedgerBar
              label="People by state"
              unit="people"
              total={enrolments.total}
              href={`/campaigns/${campaign.id}?tab=people`}
              parts={ENROLMENT_LEDGER.filter((state) => enrolments[state] > 0).map((state) => ({
                key: state,
                label: ENROLMENT_STATE_LOOK[state].word,
                count: enrolments[state],
                href: `/campaigns/${campaign.id}?tab=people&state=${state}`,
                tone: ENROLMENT_STATE_LOOK[state].tone,
              }))}
            />
          </>
        )}
        <FormError message={error && messageOf(error)} />
        <div className="flex flex-wrap items-end gap-2">
          <Field label="Add people" className="min-w-56 flex-1">
            <Select
              value={whom}
              onValueChange={setWhom}
              placeholder="A list, or everybody…"
              options={[
                ...lists.map(({ id, name, members }) => ({
                  value: id,
                  label: `${name} (${members.toLocaleString('en')})`,
                })),
                ...segments.map(({ id, name }) => ({ value: `${SEGMENT}${id}`, label: `${name} (segment)` })),
                { value: EVERYBODY, label: 'Everybody in the workspace' },
              ]}
            />
          </Field>
          <Button icon={<Upload />} onClick={() => change({ open: 'import' }, 'replace')}>
            Import or paste…
          </Button>
          <Button
            icon={<UserPlus />}
            disabled={whom === ''}
            isLoading={isPending && variables === whom}
            onClick={() => mutate(whom)}
          >
            Add
          </Button>
        </div>
        {ImportDialog && (
          <ImportDialog
            isOpen={isImporting}
            onClose={() => change({ open: null, job: null, kind: null }, 'replace')}
            onEnrol={async (importId) => {
              await mutateAsync(`${IMPORT}${importId}`)
            }}
          />
        )}
      </div>
    </Card>
  )
}

/** A large list takes several requests; each says where the next begins, and a repeated one enrols nobody twice. */
async function enrolAll(workspaceId: string, id: string, chosen: string): Promise<Counts> {
  const whom = whomOf(chosen)
  let sum = NOTHING
  let cursor: string | undefined
  do {
    const { nextCursor, ...counts } = await api('POST /api/campaigns/[id]/prospects', {
      params: { id },
      body: cursor ? { ...whom, cursor } : whom,
      workspaceId,
    })
    sum = Object.fromEntries(
      Object.entries(sum).map(([key, before]) => [key, before + counts[key as keyof Counts]]),
    ) as Counts
    cursor = nextCursor ?? undefined
  } while (cursor)
  return sum
}

function whomOf(chosen: string) {
  if (chosen === EVERYBODY) return { all: true as const }
  if (chosen.startsWith(SEGMENT)) return { segmentId: chosen.slice(SEGMENT.length) }
  if (chosen.startsWith(IMPORT)) return { filter: { importId: chosen.slice(IMPORT.length) } }
  return { listIds: [chosen] }
}

type Enrolments = Received<'GET /api/campaigns/[id]/progress'>['ledger']['enrolments']

/** "412 people: 398 will get it, 9 lack a field, 5 are left out", each a door to exactly those. */
function Explained({
  campaignId,
  enrolments: { total, BLOCKED, SKIPPED },
  isBefore,
}: {
  campaignId: string
  enrolments: Enrolments
  isBefore: boolean
}) {
  const say = (count: number) => count.toLocaleString('en')
  const part = (count: number, words: string, state?: string) =>
    count > 0 && (
      <IntentLink
        href={`/campaigns/${campaignId}?tab=people${state ? `&state=${state}` : ''}`}
        className="underline underline-offset-2"
      >
        {say(count)} {words}
      </IntentLink>
    )
  const parts = [
    isBefore
      ? part(total - BLOCKED - SKIPPED, 'will get it', 'PENDING')
      : part(total - BLOCKED - SKIPPED, 'get it or have it'),
    part(BLOCKED, BLOCKED === 1 ? 'lacks a field' : 'lack a field', 'BLOCKED'),
    part(SKIPPED, SKIPPED === 1 ? 'is left out' : 'are left out', 'SKIPPED'),
  ].filter(Boolean)
  return (
    <p className="text-sm">
      {part(total, total === 1 ? 'person' : 'people')}:{' '}
      {parts.map((one, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: there are three at most, in this order
        <span key={index}>
          {index > 0 && ', '}
          {one}
        </span>
      ))}
      .
    </p>
  )
}

const LEFT_OUT: Record<Exclude<keyof Counts, 'enrolled' | 'blocked'>, readonly [one: string, many: string]> = {
  covered: ['already had this sequence', 'already had this sequence'],
  already: ['was in it already', 'were in it already'],
  suppressed: ['is suppressed', 'are suppressed'],
  unsubscribed: ['has unsubscribed', 'have unsubscribed'],
  inactive: ['is paused, archived or has replied', 'are paused, archived or have replied'],
  unknown: ['was not found', 'were not found'],
}

/** "412 people are in: 9 of them lack a field. 3 are suppressed." */
export function sentenceOf(counts: Counts): string {
  const lacking =
    counts.blocked > 0
      ? `; ${counted(counts.blocked, 'of them lacks', 'of them lack')} a field that the texts need`
      : ''
  const left = Object.entries(LEFT_OUT)
    .map(([key, words]) => ({ count: counts[key as keyof typeof LEFT_OUT], words }))
    .filter(({ count }) => count > 0)
    .map(({ count, words: [one, many] }) => counted(count, one, many))
  return `${people(counts.enrolled)} added${lacking}.${left.length > 0 ? ` Left out: ${left.join(', ')}.` : ''}`
}
