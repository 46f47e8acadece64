'use client'

import {
  Archive,
  Ban,
  Download,
  Ellipsis,
  Eraser,
  Merge,
  MessageSquareReply,
  Pause,
  Play,
  Undo2,
  UserX,
} from 'lucide-react'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { buttonStyle } from '#components/ui/control/button-style.ts'
import { ConfirmDialog } from '#components/ui/overlay/confirm-dialog.tsx'
import { DropdownMenu, MenuItem, MenuSeparator } from '#components/ui/overlay/dropdown-menu.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { toastWithUndo } from '#components/ui/overlay/undo-toast.ts'
import { useConfirm } from '#components/ui/overlay/use-confirm.tsx'
import { isAtLeast } from '#lib/tenancy/roles.ts'
import { api, messageOf } from '../api-client.ts'
import { counted } from '../counted.ts'
import { nameOfPerson } from '../prospects/person-state.ts'
import { useRefreshProspects } from '../prospects/use-prospects.ts'
import { saveFile } from '../save-file.ts'
import { useSession } from '../session/session-context.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import { SuppressPerson } from './suppress-person.tsx'
import { type Person, useChangePerson } from './use-person.ts'

/** What can be done with one person; who may not is told why. */
export function PersonActions({ person }: { person: Person }) {
  const { workspace } = useSession()
  const refresh = useRefreshProspects()
  const changePerson = useChangePerson(person.id)
  const { ask, dialog } = useConfirm()
  const [open, setOpen] = useState<'merge' | 'suppress' | 'erase' | null>(null)
  const isAdmin = isAtLeast(workspace.role, 'admin')
  const name = nameOfPerson(person)
  const call = { params: { id: person.id }, workspaceId: workspace.id }
  const forAdmins = (label: string) => (isAdmin ? label : `${label} (admins only)`)

  async function pause(paused: boolean) {
    try {
      await changePerson({ paused })
    } catch (error) {
      toast.error(messageOf(error))
      return
    }
    toastWithUndo(paused ? `${name} is paused. Nothing was cancelled.` : `${name} gets email again.`, async () => {
      await changePerson({ paused: !paused })
      return paused ? `${name} gets email again.` : `${name} is paused again.`
    })
  }

  async function restore() {
    try {
      await changePerson({ archived: false })
      toast.success(`${name} is back from the archive. What was cancelled stays cancelled.`)
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  const archive = () =>
    ask({
      title: `Archive ${name}?`,
      description:
        'What waits for this person is cancelled. They can be brought back; what was cancelled stays cancelled.',
      confirmLabel: 'Archive',
      run: () => changePerson({ archived: true }),
    })
  const unsubscribe = () =>
    ask({
      title: `Unsubscribe ${name}?`,
      description: 'Do this when they asked for it. What waits is cancelled, and only they themselves subscribe again.',
      confirmLabel: 'Unsubscribe',
      run: () => changePerson({ unsubscribed: true }),
    })

  const noteReply = () =>
    ask({
      title: `Did ${name} reply?`,
      description:
        'What waits for this person is cancelled, and nothing more of a sequence is sent. This can be taken back; what was cancelled stays cancelled.',
      confirmLabel: 'They replied',
      run: () => changePerson({ replied: true }),
    })

  async function takeBackReply() {
    try {
      await changePerson({ replied: false })
      toast.success(`${name} counts as not having replied. What was cancelled stays cancelled.`)
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  async function exportThem() {
    try {
      const held = await api('GET /api/prospects/[id]/export', call)
      saveFile(new Blob([JSON.stringify(held, null, 2)], { type: 'application/json' }), 'person.json')
    } catch (error) {
      toast.error(messageOf(error))
    }
  }

  if (person.mergedIntoId || person.erasedAt) return null
  return (
    <>
      {person.archivedAt ? (
        <Button icon={<Undo2 />} onClick={() => void restore()}>
          Bring back
        </Button>
      ) : person.pausedAt ? (
        <Button icon={<Play />} onClick={() => pause(false)}>
          Resume
        </Button>
      ) : (
        <Button icon={<Pause />} onClick={() => pause(true)}>
          Pause
        </Button>
      )}
      <DropdownMenu
        trigger={
          <button type="button" aria-label={`More for ${name}`} className={buttonStyle({ shape: 'icon' })}>
            <Ellipsis aria-hidden className="size-4" />
          </button>
        }
      >
        <MenuItem
          icon={<Ban aria-hidden />}
          disabled={person.suppressedBy !== null}
          onSelect={() => setOpen('suppress')}
        >
          {person.suppressedBy ? 'Suppressed already' : 'Suppress…'}
        </MenuItem>
        <MenuItem
          icon={<MessageSquareReply aria-hidden />}
          onSelect={() => (person.repliedAt ? void takeBackReply() : noteReply())}
        >
          {person.repliedAt ? 'They did not reply' : 'They replied…'}
        </MenuItem>
        <MenuItem icon={<UserX aria-hidden />} disabled={person.unsubscribedAt !== null} onSelect={unsubscribe}>
          Unsubscribe on their word…
        </MenuItem>
        <MenuItem icon={<Merge aria-hidden />} onSelect={() => setOpen('merge')}>
          Merge with another…
        </MenuItem>
        {!person.archivedAt && (
          <MenuItem icon={<Archive aria-hidden />} onSelect={archive}>
            Archive…
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem icon={<Download aria-hidden />} disabled={!isAdmin} onSelect={() => void exportThem()}>
          {forAdmins('Export everything held')}
        </MenuItem>
        <MenuItem icon={<Eraser aria-hidden />} tone="danger" disabled={!isAdmin} onSelect={() => setOpen('erase')}>
          {forAdmins('Erase…')}
        </MenuItem>
      </DropdownMenu>
      <SuppressPerson person={person} isOpen={open === 'suppress'} onOpenChange={() => setOpen(null)} />
      <MergeDialog person={person} isOpen={open === 'merge'} onOpenChange={() => setOpen(null)} />
      <ConfirmDialog
        title={`Erase ${name}?`}
        description="Everything personal goes, here and in what was sent, of this person and of all who were merged with them. What waits is cancelled. That emails were sent stays known, so that none is sent twice. This cannot be undone."
        confirmLabel="Erase for good"
        typedConfirmation={person.email ?? undefined}
        isOpen={open === 'erase'}
        onOpenChange={() => setOpen(null)}
        errorOf={messageOf}
        onConfirm={async () => {
          const { cancelledEmails } = await api('POST /api/prospects/[id]/erase', call)
          await refresh()
          toast.success(`Erased. ${counted(cancelledEmails, 'waiting email was', 'waiting emails were')} cancelled.`)
        }}
      />
      {dialog}
    </>
  )
}
