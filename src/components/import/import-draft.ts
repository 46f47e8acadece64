/** An import that is being prepared, kept in the browser itself, so that a reload or a closed laptop loses nothing of it. */
export interface ImportDraft {
  file: Blob
  name: string
  /** `columns`: it is being looked at. `running`: it was sent off. `done`: kept for its rejected lines. */
  stage: 'columns' | 'running' | 'done'
  choices: ImportChoices | null
  jobId: string | null
  /** When it was sent off, by the browser's clock. */
  sentAtMs: number | null
}

/** As the API takes them. */
export interface ImportChoices {
  columns: ImportColumn[]
  hasHeader: boolean
  onKnown: 'update' | 'fill' | 'leave'
  encoding?: string | undefined
  delimiter?: string | undefined
  listId?: string | undefined
}

export type NamedColumn = 'email' | 'firstName' | 'lastName' | 'company' | 'timeZone' | 'ignore'

export type CustomType = 'text' | 'number' | 'boolean' | 'date'

export type ImportColumn = { to: NamedColumn } | { to: 'custom'; name: string; type: CustomType }

const [DATABASE, STORE] = ['sendonce-imports', 'drafts']

/** Where the browser keeps nothing (a private window, say), the import goes on without. */
export async function keepDraft(workspaceId: string, draft: ImportDraft): Promise<void> {
  await inStore('readwrite', (store) => store.put(draft, workspaceId)).catch(() => undefined)
}

export async function readDraft(workspaceId: string): Promise<ImportDraft | null> {
  const kept = await inStore<ImportDraft | undefined>('readonly', (store) => store.get(workspaceId)).catch(() => null)
  return kept ?? null
}

export async function dropDraft(workspaceId: string): Promise<void> {
  await inStore('readwrite', (store) => store.delete(workspaceId)).catch(() => undefined)
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest): Promise<T> {
  const database = await answerOf<IDBDatabase>(openDatabase())
  try {
    return await answerOf<T>(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function openDatabase(): IDBOpenDBRequest {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(STORE)
  return request
}

function answerOf<T>(request: IDBRequest): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
