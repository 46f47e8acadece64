/** Who and what is in the demo. Every address is of a domain that can never exist. */
const FIRST = [
  'Ada',
  'Ben',
  'Chloe',
  'David',
  'Elena',
  'Farid',
  'Grace',
  'Hugo',
  'Ines',
  'Jonas',
  'Keiko',
  'Liam',
  'Maya',
  'Noah',
  'Olga',
  'Pablo',
  'Quinn',
  'Rosa',
  'Sven',
  'Tara',
  'Uma',
  'Victor',
  'Wendy',
  'Yusuf',
  'Zoe',
]
const LAST = [
  'Abbott',
  'Berg',
  'Costa',
  'Dumont',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
  'Jansen',
  'Kowalski',
  'Lopez',
]
const COMPANIES = [
  'Northwind',
  'Blue Harbour',
  'Fable and Co',
  'Greenline',
  'Halfpenny',
  'Ironbridge',
  'Juniper',
  'Kestrel',
  'Lighthouse',
  'Meridian',
]

export const LISTS = {
  'Trade fair': 24,
  Partners: 30,
  Webinar: 30,
  Customers: 190,
  Newcomers: 26,
} as const

export type ListName = keyof typeof LISTS

/** The first of a list are met by a fault of the catcher; see src/catcher/faults.ts. */
const FAULTS: Partial<Record<ListName, readonly string[]>> = {
  'Trade fair': ['bounce', 'bounce', 'bounce', 'refuse', 'refuse', 'busy', 'busy', 'busy'],
  Partners: ['lost', 'bounce', 'busy', 'refuse', 'lost'],
}

const WITHOUT_COMPANY = 12

/** People of two lists have no address in common: each list begins at a number of its own. A file as people have them: with a line that holds no address, and one that is there twice. */
export function csvOf(list: ListName): string {
  const start = Object.keys(LISTS).indexOf(list) * 200
  const lines = Array.from({ length: LISTS[list] }, (_, index) => {
    const number = start + index
    const first = FIRST[number % FIRST.length] ?? ''
    const last = LAST[Math.floor(number / FIRST.length) % LAST.length] ?? ''
    const company = COMPANIES[(number * 7) % COMPANIES.length] ?? ''
    const fault = FAULTS[list]?.[index]
    const name = `${first}.${last}.${number}`.toLowerCase()
    const host = `${company.toLowerCase().replaceAll(' ', '-')}.example`
    const isBare = list === 'Newcomers' && index < WITHOUT_COMPANY
    return `${fault ? `${fault}.` : ''}${name}@${host},${first},${last},${isBare ? '' : company}`
  })
  const faulty = list === 'Trade fair' ? ['no address,Nobody,Nowhere,', lines[20] ?? ''] : []
  return [`email,first name,last name,company`, ...lines, ...faulty, ''].join('\n')
}

export const COLUMNS = [{ to: 'email' }, { to: 'firstName' }, { to: 'lastName' }, { to: 'company' }]

export const SEQUENCES = {
  intro: {
    name: 'Introduction',
    steps: [
      {
        subject: 'A shorter week for {{company}}',
        bodyText:
          'Hello {{firstName | "there"}},\n\nwe help teams like yours at {{company}} to plan their week in ten minutes. Would a short call be of use?\n\nOlivia',
      },
      {
        delayDays: 3,
        bodyText: 'Hello {{firstName | "there"}},\n\nmay I send you two pages on how it works?\n\nOlivia',
      },
      {
        delayDays: 4,
        bodyText: 'Hello {{firstName | "there"}},\n\nthis is my last note. I wish you a good week.\n\nOlivia',
      },
    ],
  },
  news: {
    name: 'News for partners',
    steps: [
      {
        subject: 'What is new this season',
        bodyHtml:
          '<p>Hello {{firstName | "there"}},</p><p>three things are new: <strong>shared plans</strong>, a calendar feed, and prices that fit small teams.</p><p>Adam</p>',
      },
      {
        delayDays: 6,
        bodyText: 'Hello {{firstName | "there"}},\n\ndid you have a look? I am glad to answer questions.\n\nAdam',
      },
    ],
  },
}

export const POSTAL_ADDRESS = 'Demo Ltd\n1 Example Street\n10115 Berlin'
