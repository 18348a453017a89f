import type { Agent, HistoryPage, Output } from './types'

export type OutputKind = 'text' | 'diff' | 'log' | 'stderr'

export interface HistoryQuery {
  group?: string
  status?: string
  role?: string
  text?: string
  since?: string
  until?: string
  offset?: number
  limit?: number
}

/** Api asks the server for what is kept there and not sent unasked. */
export class Api {
  constructor(
    private readonly base: string,
    private readonly token: string,
  ) {}

  history(q: HistoryQuery, signal?: AbortSignal): Promise<HistoryPage> {
    return this.get(`api/history?${query({ ...q })}`, signal)
  }

  agent(id: string, signal?: AbortSignal): Promise<Agent> {
    return this.get(`api/agents/${encodeURIComponent(id)}`, signal)
  }

  output(id: string, kind: OutputKind, offset: number, length: number, signal?: AbortSignal): Promise<Output> {
    return this.get(`api/agents/${encodeURIComponent(id)}/output?${query({ kind, offset, length })}`, signal)
  }

  /** Whether the server is there. */
  async alive(): Promise<boolean> {
    const response = await fetch(`${this.base}api/health`, { signal: AbortSignal.timeout(10_000), cache: 'no-store' })
    return response.ok
  }

  private async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (this.token) headers.Authorization = `Bearer ${this.token}`
    const response = await fetch(this.base + path, { headers, signal: signal ?? null, cache: 'no-store' })
    if (response.ok) return (await response.json()) as T
    throw new Error(await reason(response))
  }
}

function query(values: Record<string, string | number | undefined>): string {
  const q = new URLSearchParams()
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined && value !== '') q.set(key, String(value))
  }
  return q.toString()
}

async function reason(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  try {
    const body = JSON.parse(text)
    const message = body?.error?.message ?? body?.message ?? body?.error
    if (typeof message === 'string') return message
  } catch {
    // Not JSON: the text itself may say it.
  }
  return text.trim().slice(0, 300) || `${response.status} ${response.statusText}`
}
