// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import * as fc from 'fast-check'
import { useState } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  type DraftNode,
  emailNode,
  findNode,
  insertAt,
  keysIn,
  movedNode,
  placeOf,
  placesIn,
  waysOf,
  withoutNode,
} from '#components/sequences/branches/graph-draft.ts'
import { PathList, type PersonPath } from '#components/sequences/branches/path-list.tsx'
import { PathPane } from '#components/sequences/branches/path-pane.tsx'
import {
  type Draft,
  draftOf,
  graphOf,
  inputOf,
  isSaved,
  nodesOf,
  withNodes,
} from '#components/sequences/editor/draft.ts'
import { StepList } from '#components/sequences/editor/step-list.tsx'
import { SessionProvider, type SessionView } from '#components/session/session-context.tsx'
import { graphProblems } from '#lib/sequences/graph/graph-problems.ts'
import type { SequenceGraph } from '#lib/sequences/graph/node-types.ts'

vi.mock('next/navigation', () => ({
  useRouter: () => ({ push: vi.fn(), replace: vi.fn(), prefetch: vi.fn() }),
  usePathname: () => '/sequences/q',
  useSearchParams: () => new URLSearchParams(),
}))
// What writes the texts is loaded when it is seen, and tested by itself.
vi.mock('#components/sequences/editor/body-field.tsx', () => ({ BodyField: () => null }))
vi.mock('#components/sequences/editor/subject-field.tsx', () => ({ SubjectField: () => null }))

const written = { delayDays: 2, subject: 'Hello', bodyText: 'A word.', bodyHtml: '' }
const steps = (count: number) => Array.from({ length: count }, (_, index) => ({ ...written, stepNumber: index + 1 }))
const GRAPH: SequenceGraph = {
  nodes: [
    { id: 'a', type: 'email', stepNumber: 1 },
    {
      ...{ id: 'b', type: 'branch', if: { event: 'CLICKED' }, withinDays: 3 },
      yes: [{ id: 'c', type: 'email', stepNumber: 2 }],
      no: [
        { id: 'd', type: 'wait', for: { kind: 'days', days: 1 } },
        { id: 'e', type: 'email', stepNumber: 3 },
      ],
    },
    { id: 'f', type: 'end' },
  ],
}
const ADA = { id: 'ada', email: 'ada@example.com', firstName: 'Ada', lastName: null, company: null }
const saved = { name: 'Welcome', steps: steps(3), graph: GRAPH }

describe('a draft with branches', () => {
  test('says the same as what was saved, and as the API takes it', () => {
    const draft = draftOf(saved)
    expect(graphOf(draft)).toEqual(GRAPH)
    expect(isSaved(draft, saved)).toBe(true)
    // The database gives fields back in an order of its own.
    const shuffled = JSON.parse(
      JSON.stringify(GRAPH, [
        'nodes',
        'type',
        'stepNumber',
        'id',
        'no',
        'yes',
        'withinDays',
        'if',
        'event',
        'for',
        'days',
        'kind',
      ]),
    )
    expect(isSaved(draft, { ...saved, graph: shuffled })).toBe(true)
    expect(isSaved({ ...draft, nodes: null }, saved)).toBe(false)
    expect(inputOf(draft, 1)).toMatchObject({ graph: GRAPH, steps: [{ stepNumber: 1 }, {}, {}] })
  })

  test('of emails alone has no graph, so that a sequence without branches stays what it was', () => {
    const draft = draftOf({ ...saved, graph: null })
    const [first, second, third] = nodesOf(draft)
    if (!first || !second || !third) throw new Error('there are three')
    const ended = withNodes(draft, [first, second, third, { id: 'x', type: 'end' }], 0)
    expect(graphOf(ended)?.nodes).toHaveLength(4)
    expect(withNodes(ended, [third, first, second], 0)).toMatchObject({ nodes: null })
    expect(withNodes(ended, [third, first, second], 0).steps.map(({ key }) => key)).toEqual(
      [third, first, second].map(({ id }) => id),
    )
    // Steps that were launched keep their numbers, wherever they stand.
    expect(withNodes(draft, [third, first, second], 3).nodes).not.toBeNull()
    expect(withNodes(draft, [third, first, second], 3).steps).toEqual(draft.steps)
  })
})

const node: fc.Arbitrary<DraftNode> = fc.letrec<{ node: DraftNode; list: DraftNode[] }>((tie) => ({
  list: fc.array(tie('node'), { maxLength: 3, depthIdentifier: 'deep' }),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true, depthIdentifier: 'deep' },
    fc.uuid().map((id) => emailNode(id)),
    fc.uuid().map((id): DraftNode => ({ id, type: 'end' })),
    fc
      .tuple(fc.uuid(), tie('list'), tie('list'))
      .map(([id, yes, no]): DraftNode => ({ id, type: 'branch', if: { event: 'OPENED' }, withinDays: 1, yes, no })),
  ),
})).node

function idsIn(nodes: readonly DraftNode[]): string[] {
  return nodes.flatMap((one) => [one.id, ...(one.type === 'branch' ? [...idsIn(one.yes), ...idsIn(one.no)] : [])])
}

describe('moving', () => {
  test('by keys alone leads through every place and back, and loses nothing on the way', () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 4 }), fc.nat(), (nodes, pick) => {
        const ids = idsIn(nodes)
        const id = ids[pick % ids.length] ?? ''
        let at = nodes
        while (waysOf(at, id).up) at = movedNode(at, id, -1)
        expect(placeOf(at, id)).toBe(0)
        let steps = 0
        for (; waysOf(at, id).down; steps += 1) {
          const next = movedNode(at, id, 1)
          expect(movedNode(next, id, -1)).toEqual(at)
          expect(idsIn(next).toSorted()).toEqual(ids.toSorted())
          at = next
        }
        expect(steps).toBe(placesIn(withoutNode(nodes, id)) - 1)
        expect(movedNode(at, id, 1)).toEqual(at)
      }),
    )
  })

  test('out of it and in again at the same place changes nothing', () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 4 }), fc.nat(), (nodes, pick) => {
        const ids = idsIn(nodes)
        const id = ids[pick % ids.length] ?? ''
        const [found, place] = [findNode(nodes, id), placeOf(nodes, id)]
        if (!found || place === undefined) throw new Error('it is there')
        expect(insertAt(withoutNode(nodes, id), place, found)).toEqual(nodes)
      }),
    )
  })

  test('whatever is moved, the numbers of unlaunched steps rise along every way', () => {
    fc.assert(
      fc.property(fc.array(node, { minLength: 1, maxLength: 4 }), (nodes) => {
        const all = keysIn(nodes)
        const draft: Draft = {
          name: 'x',
          nodes,
          steps: all.map((key) => ({ ...written, key, form: 'text' as const })),
        }
        const graph = graphOf(withNodes(draft, nodes, 0))
        if (!graph) return
        const sentences = graphProblems(
          graph,
          all.map((_, index) => index + 1),
        ).map(({ sentence }) => sentence)
        expect(sentences.filter((sentence) => /^Step \d+ stands/.test(sentence))).toEqual([])
      }),
    )
  })
})

const WORKSPACE = { id: 'w', name: 'Acme', timeZone: 'UTC', role: 'owner' } as const
const SESSION: SessionView = {
  person: { id: 'me', name: 'Olga', email: 'olga@example.com' },
  workspaces: [WORKSPACE],
  workspace: WORKSPACE,
}
const LIST = '00000000-0000-4000-8000-000000000001'
const ANSWERS: Record<string, unknown> = {
  'GET /api/lists': { lists: [{ id: LIST, name: 'Keen' }] },
  'GET /api/campaigns': { campaigns: [], nextCursor: null },
  'GET /api/members': { members: [{ personId: 'me', name: 'Olga' }] },
  'GET /api/prospects/fields': { fields: ['stage'] },
  'POST /api/sequences/q/path': {
    items: [
      ...[
        {
          nodeId: 'a',
          type: 'email',
          sentence: 'The email of step 1',
          stepNumber: 1,
          at: '2026-11-19T09:00:00Z',
          standing: 'planned',
          side: null,
        },
      ],
      ...[
        {
          nodeId: 'b',
          type: 'branch',
          sentence: 'Waits 3 days for a click',
          stepNumber: null,
          at: '2026-11-22T09:00:00Z',
          standing: 'forecast',
          side: 'no',
        },
      ],
    ],
    standsAt: null,
    left: null,
    notes: ['Limits are not looked at.'],
  },
}
const asked: { call: string; body: unknown }[] = []

beforeEach(() => {
  asked.length = 0
  vi.stubGlobal('fetch', async (input: string, { method = 'GET', body }: RequestInit = {}) => {
    const call = `${method} ${new URL(input, 'http://page').pathname}`
    asked.push({ call, body: typeof body === 'string' ? JSON.parse(body) : null })
    return Response.json({ success: true, data: ANSWERS[call] })
  })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const COVERAGE = { people: 0, lacking: new Map<string, number>() }
let latest: Draft | undefined

function Editor({ start, fixedSteps = 0 }: { start: Draft; fixedSteps?: number }) {
  const [draft, setDraft] = useState(start)
  latest = draft
  return (
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider session={SESSION}>
        <StepList
          sequenceId="q"
          draft={draft}
          coverage={COVERAGE}
          fixedSteps={fixedSteps}
          problems={[]}
          shownStep={1}
          onChange={setDraft}
          onShow={() => undefined}
        />
      </SessionProvider>
    </QueryClientProvider>
  )
}

const add = async (what: string, where?: HTMLElement) => {
  const scope = where ? within(where) : screen
  const all = scope.getAllByRole('button', { name: /^Add a wait, branch or action/ })
  await userEvent.click(all.at(-1) as HTMLElement)
  await userEvent.click(await screen.findByRole('menuitem', { name: new RegExp(`^${what}`) }))
}

describe('the editor', () => {
  test('grows a branch with two sides by keys and menus, and says what is still wrong with it', async () => {
    render(<Editor start={draftOf({ name: 'Welcome', steps: steps(1), graph: null })} />)
    expect(latest?.nodes).toBeNull()
    await add('If … then, else')
    const yes = await screen.findByRole('group', {
      name: 'Yes: they followed a link of the email before within 3 days',
    })
    expect(screen.getByText(/Both sides of this branch are empty/)).toBeTruthy()
    await waitFor(() => expect(asked.some(({ call }) => call === 'GET /api/lists')).toBe(true))
    await add('Add to a list', yes)
    expect(screen.queryByText(/Both sides of this branch are empty/)).toBeNull()
    const no = screen.getByRole('group', { name: 'No: they did not within 3 days' })
    await userEvent.click(within(no).getByRole('button', { name: /^Add a step/ }))
    expect(within(no).getByRole('heading', { name: 'Step 2' })).toBeTruthy()
    expect(latest && graphOf(latest)).toMatchObject({
      nodes: [
        { type: 'email', stepNumber: 1 },
        {
          ...{ type: 'branch', if: { event: 'CLICKED' }, withinDays: 3 },
          yes: [{ type: 'add-to-list', listId: LIST }],
          no: [{ type: 'email', stepNumber: 2 }],
        },
      ],
    })
    const graph = latest && graphOf(latest)
    expect(graph && graphProblems(graph, [1, 2])).toEqual([])
  })

  test('refuses in words what cannot be launched, where it stands', async () => {
    const start = draftOf({
      ...saved,
      graph: { nodes: [{ id: 'w', type: 'wait', for: { kind: 'days', days: 1 } }, ...GRAPH.nodes] },
    })
    render(<Editor start={start} />)
    const wait = screen.getAllByRole('group', { name: 'Wait' })[0] as HTMLElement
    expect(within(wait).getByText('A sequence begins with an email: all that follows counts from it.')).toBeTruthy()
  })

  test('names what a program tells of, in its sides and in what is assumed', async () => {
    const bought = { event: 'CUSTOM', name: 'bought' } as const
    const nodes = GRAPH.nodes.map((node) => (node.type === 'branch' ? { ...node, if: bought } : node))
    render(<Editor start={draftOf({ ...saved, graph: { nodes } })} />)
    screen.getByRole('group', { name: 'Yes: they did “bought” within 3 days' })
    cleanup()
    render(
      <QueryClientProvider client={new QueryClient()}>
        <SessionProvider session={SESSION}>
          <PathPane sequenceId="q" graph={{ nodes }} steps={draftOf(saved).steps} person={ADA} />
        </SessionProvider>
      </QueryClientProvider>,
    )
    screen.getByRole('checkbox', { name: '1. did “bought”' })
  })

  test('moves a node out of its side by the menu, and takes it out with an undo', async () => {
    render(<Editor start={draftOf(saved)} />)
    const wait = screen.getByRole('group', { name: 'Wait' })
    await userEvent.click(within(wait).getByRole('button', { name: 'Actions for “Wait”' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Move up' }))
    const yes = screen.getByRole('group', { name: /^Yes/ })
    expect(within(yes).getByRole('group', { name: 'Wait' })).toBeTruthy()
    await userEvent.click(within(yes).getByRole('button', { name: 'Actions for “Wait”' }))
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Remove' }))
    expect(screen.queryByRole('group', { name: 'Wait' })).toBeNull()
  })

  test('of a launched sequence leaves the launched emails where they are', async () => {
    render(<Editor start={draftOf(saved)} fixedSteps={3} />)
    expect(screen.queryByRole('button', { name: 'Actions for step 1' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Actions for “Wait”' })).toBeTruthy()
  })
})

test('the path of a person is asked for with what is assumed, and says what is certain and what is a forecast', async () => {
  render(
    <QueryClientProvider client={new QueryClient()}>
      <SessionProvider session={SESSION}>
        <PathPane sequenceId="q" graph={GRAPH} steps={draftOf(saved).steps} person={ADA} />
      </SessionProvider>
    </QueryClientProvider>,
  )
  await screen.findByText('The email of step 1')
  expect(screen.getByRole('heading', { name: 'Ada would get…' })).toBeTruthy()
  expect([screen.getByText('Certain'), screen.getByText('Forecast')]).toHaveLength(2)
  await userEvent.click(screen.getByRole('checkbox', { name: '1. followed a link of the email before' }))
  await waitFor(() =>
    expect(asked.filter(({ call }) => call.endsWith('/path')).at(-1)?.body).toMatchObject({
      happens: ['b'],
      prospectId: 'ada',
      graph: GRAPH,
      delays: [1, 2, 3].map((stepNumber) => ({ stepNumber, delayDays: 2 })),
    }),
  )
})

test('a branch that is waited at is certain in its time, and not in its side', () => {
  const item = {
    nodeId: 'b',
    type: 'branch',
    sentence: 'Whether the person replied within 3 days.',
    stepNumber: null,
  } as const
  const path: PersonPath = {
    items: [{ ...item, at: '2026-11-26T14:02:00Z', standing: 'planned', side: 'no' }],
    ...{ standsAt: 'b', left: null, notes: [] },
  }
  render(
    <SessionProvider session={SESSION}>
      <PathList path={path} />
    </SessionProvider>,
  )
  screen.getByText('Decided by')
  screen.getByText('Assumed: no.')
  expect(screen.queryByText('Certain')).toBeNull()
})
