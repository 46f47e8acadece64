import { ACCOUNT } from './account.ts'
import { CAMPAIGNS } from './campaigns.ts'
import { PEOPLE } from './people.ts'
import { QUEUE } from './queue.ts'
import type { Scenes } from './scene.ts'
import { SENDING } from './sending.ts'
import { SEQUENCES } from './sequences.ts'
import { TEMPLATES } from './templates.ts'
import { WEBHOOKS } from './webhooks.ts'

/** By the file of journeys/pages that plays them: about as many in each, so that they can be played side by side. */
export const SCENES = {
  account: { ...ACCOUNT, ...TEMPLATES, ...WEBHOOKS },
  people: { ...PEOPLE, ...SEQUENCES, ...SENDING },
  campaigns: { ...CAMPAIGNS, ...QUEUE },
} as const satisfies Record<string, Scenes>
