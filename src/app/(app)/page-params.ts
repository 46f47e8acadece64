export type PageParams = Promise<Record<string, string | string[] | undefined>>

/** As a page's components read them; of a name that is given twice, the first. */
export async function paramsIn(given: PageParams): Promise<URLSearchParams> {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(await given)) {
    const first = Array.isArray(value) ? value[0] : value
    if (first !== undefined) params.set(name, first)
  }
  return params
}
