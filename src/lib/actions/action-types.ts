import type { ActionType } from '#lib/platform/generated/enums.ts'

export type { ActionType }

type Entry = {
  name: string
  sentence: string /** Hangs on a whole campaign, and goes before what hangs on a person. */
  isOfCampaign: boolean
}

/** What can be set for a time. Emails have a queue of their own. */
export const ACTION_TYPES = {
  START_CAMPAIGN: {
    name: 'Start a campaign',
    sentence: 'Starts a campaign that was launched for this time.',
    isOfCampaign: true,
  },
  END_CAMPAIGN: {
    name: 'End a campaign',
    sentence: 'Stops a campaign at the time that was set as its end.',
    isOfCampaign: true,
  },
  MOVE_ON: {
    name: 'Move on',
    sentence: 'Takes a person to what follows the email that was handed over.',
    isOfCampaign: false,
  },
  WAIT: { name: 'Wait', sentence: 'Ends the wait of a person, who then goes on.', isOfCampaign: false },
  TIMEOUT: {
    name: 'Time-out',
    sentence: 'Takes a person the other way, unless what was awaited has happened in time.',
    isOfCampaign: false,
  },
  LOOK: {
    name: 'Look at an event',
    sentence: 'Something has happened with a person: looks whether a branch waits for it.',
    isOfCampaign: false,
  },
  ENROL: {
    name: 'Move to a campaign',
    sentence: 'Adds a person to the campaign that their sequence has moved them to.',
    isOfCampaign: false,
  },
  REMIND: {
    name: 'Notify a teammate',
    sentence: 'Tells a member by mail, and programs by a webhook.',
    isOfCampaign: false,
  },
  CANCEL: {
    name: 'Take out of a campaign',
    sentence: 'Takes a person out of a campaign at the time that was set for it.',
    isOfCampaign: false,
  },
} as const satisfies Record<ActionType, Entry>

export const ACTION_TYPE_NAMES = Object.keys(ACTION_TYPES) as [ActionType, ...ActionType[]]

export const CAMPAIGN_ACTIONS = ACTION_TYPE_NAMES.filter((type) => ACTION_TYPES[type].isOfCampaign)
