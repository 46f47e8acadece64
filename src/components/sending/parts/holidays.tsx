'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '#components/ui/control/button.tsx'
import { Select } from '#components/ui/control/select.tsx'
import { toast } from '#components/ui/overlay/toast.tsx'
import { api, messageOf } from '../../api-client.ts'
import { counted } from '../../counted.ts'
import { queryKeys } from '../../query-keys.ts'
import { dateInWords } from '../calendar-month.ts'

interface HolidaysProps {
  year: number
  daysOff: ReadonlySet<string>
  onTake: (dates: string[]) => void
}

const WHOLE_COUNTRY = 'all'

/** A country's public holidays, to be taken over as days off. Kept here until the settings are saved. */
export function Holidays({ year, daysOff, onTake }: HolidaysProps) {
  const [country, setCountry] = useState('')
  const [region, setRegion] = useState(WHOLE_COUNTRY)
  const [isOpen, setIsOpen] = useState(false)
  const places = useQuery({
    queryKey: queryKeys.holidays('places', 0),
    queryFn: ({ signal }) => api('GET /api/settings/sending/holiday-places', { signal }),
    enabled: isOpen,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const holidays = useQuery({
    queryKey: queryKeys.holidays(`${country} ${region}`, year),
    queryFn: ({ signal }) =>
      api('GET /api/settings/sending/holidays', {
        query: { country, region: region === WHOLE_COUNTRY ? undefined : region, year },
        signal,
      }),
    enabled: country !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })
  const regions = places.data?.countries.find(({ code }) => code === country)?.regions ?? []
  const missing = holidays.data?.holidays.filter(({ date }) => !daysOff.has(date)) ?? []
  const error = places.error ?? holidays.error

  if (!isOpen) {
    return (
      <Button onClick={() => setIsOpen(true)} className="self-start">
        Take over public holidays…
      </Button>
    )
  }
  return (
    <section aria-label="Public holidays" className="flex flex-col gap-2.5 rounded-lg border border-border p-3">
      <div className="grid gap-2 sm:grid-cols-2">
        <Select
          aria-label="Country"
          placeholder={places.isPending ? 'Loading the countries…' : 'Country…'}
          options={places.data?.countries.map(({ code, name }) => ({ value: code, label: name })) ?? []}
          value={country}
          onValueChange={(next) => {
            setCountry(next)
            setRegion(WHOLE_COUNTRY)
          }}
        />
        {regions.length > 0 && (
          <Select
            aria-label="Region"
            options={[
              { value: WHOLE_COUNTRY, label: 'The whole country' },
              ...regions.map(({ code, name }) => ({ value: code, label: name })),
            ]}
            value={region}
            onValueChange={setRegion}
          />
        )}
      </div>
      {error && <p className="text-[0.8125rem] text-danger-text">{messageOf(error)}</p>}
      {holidays.data && (
        <>
          <ul className="max-h-44 overflow-y-auto text-[0.8125rem]" aria-label={`Public holidays of ${year}`}>
            {holidays.data.holidays.map(({ date, name }) => (
              <li key={date} className="flex gap-3 py-0.5">
                <span className="w-32 shrink-0 text-muted">{dateInWords(date)}</span>
                <span className="min-w-0 break-words">{name}</span>
              </li>
            ))}
          </ul>
          <Button
            className="self-start"
            disabled={missing.length === 0}
            onClick={() => {
              onTake(missing.map(({ date }) => date))
              toast.success(
                `${counted(missing.length, `day of ${year} is`, `days of ${year} are`)} marked as off. ${missing.length === 1 ? 'It holds' : 'They hold'} once you save.`,
              )
            }}
          >
            {missing.length === 0 ? `All of ${year} are days off` : `Take over ${missing.length} of ${year}`}
          </Button>
        </>
      )}
    </section>
  )
}
