'use client'

import { buttonStyle } from '#components/ui/control/button-style.ts'
import { LostServer } from '../../live/lost-server.tsx'
import { useSequence } from '../../sequences/use-sequences.ts'
import { useSession } from '../../session/session-context.tsx'
import { IntentLink } from '../../shell/intent-link.tsx'
import { DateTime } from '../../ui/date-time.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { useUrlParams } from '../../use-url-params.ts'
import { sequenceIn } from '../campaign-params.ts'
import { columnsOfAll } from './people-columns.tsx'
import { PeopleCount } from './people-count.tsx'
import { PeopleList } from './people-list.tsx'
import { useAllEnrolments } from './use-enrolments.ts'

/** Who is in any campaign, and how far: the rows behind the ledger of all campaigns. */
export function EverybodyInCampaigns() {
  const { workspace } = useSession()
  const { params } = useUrlParams()
  const query = useAllEnrolments()
  const counts = query.data?.counts
  const sequenceId = sequenceIn(params)
  return (
    <>
      <PageHeader
        title="People in campaigns"
        description={
          sequenceId ? (
            <OfSequence id={sequenceId} />
          ) : (
            'Everybody in every campaign, the newest campaign first. Who is in two campaigns stands here twice.'
          )
        }
        back={sequenceId ? { href: '/sequences', label: 'Sequences' } : { href: '/campaigns', label: 'Campaigns' }}
      />
      <PeopleList
        caption="People in campaigns"
        query={query}
        columns={columnsOfAll(workspace.timeZone)}
        lost={<LostServer query={query} />}
        count={
          counts && (
            <PeopleCount states={counts.states} state={params.get('state')}>
              , counted <DateTime instant={counts.countedAt} timeZone={workspace.timeZone} style="time" />
            </PeopleCount>
          )
        }
        nobody={{
          title: sequenceId ? 'No campaign has planned this sequence yet' : 'Nobody is in a campaign yet',
          sentence: 'Whom you add to a campaign stands here, with how far they are.',
          action: (
            <IntentLink href="/campaigns" className={buttonStyle({ variant: 'primary' })}>
              Go to the campaigns
            </IntentLink>
          ),
        }}
      />
    </>
  )
}

function OfSequence({ id }: { id: string }) {
  const { data } = useSequence(id)
  return (
    <>
      Those for whom a campaign has planned{' '}
      {data ? (
        <IntentLink href={`/sequences/${id}`} className="break-words text-accent-text underline underline-offset-2">
          {data.name}
        </IntentLink>
      ) : (
        'this sequence'
      )}
      , the newest campaign first. Nobody gets it twice.
    </>
  )
}
