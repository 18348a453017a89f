import { useCallback, useEffect, useRef, useState } from 'react'
import { useApp, useData } from '../state/app'
import type { HistoryQuery } from '../wire/api'
import { ended } from '../wire/types'
import type { Agent, Group } from '../wire/types'

export const pageSize = 50

export interface Wanted {
  group: string
  status: string
  role: string
  text: string
  since: string
  until: string
  oldest: boolean
}

/** What the server is asked: days are those of the reader, the last one included. */
export function queryOf(w: Wanted): HistoryQuery {
  return { group: w.group, status: w.status, role: w.role, text: w.text, since: dayStart(w.since, 0), until: dayStart(w.until, 1) }
}

function dayStart(day: string, plus: number): string {
  const [y, m, d] = day.split('-').map(Number)
  if (!y || !m || !d) return ''
  return new Date(y, m - 1, d + plus).toISOString()
}

/**
 * Where the next page lies. The server answers the newest first; the oldest first is
 * read from the end.
 */
export function pageAt(loaded: number, total: number | undefined, oldest: boolean): { offset: number; limit: number } | undefined {
  if (total === undefined) return oldest ? { offset: 0, limit: 1 } : { offset: 0, limit: pageSize }
  if (loaded >= total) return undefined
  if (!oldest) return { offset: loaded, limit: pageSize }
  const end = total - loaded
  const offset = Math.max(0, end - pageSize)
  return { offset, limit: end - offset }
}

interface Loaded {
  agents: Agent[]
  groups: Map<string, Group>
  total: number
}

const nothing: Loaded = { agents: [], groups: new Map(), total: 0 }

/** Reads the history page by page, and says how many runs have ended since. */
export function useHistory(w: Wanted) {
  const { api, store } = useApp()
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [error, setError] = useState('')
  const [busy, setBusy] = useState(true)
  const [fresh, setFresh] = useState(0)
  const [round, setRound] = useState(0)
  const key = JSON.stringify(w)
  const now = useRef(key)
  now.current = key
  const seq = useData((d) => d.seq)

  const load = useCallback(
    async (have: Loaded | null, signal?: AbortSignal) => {
      setBusy(true)
      const q = queryOf(w)
      try {
        let total = have?.total
        if (w.oldest && total === undefined) total = (await api.history({ ...q, offset: 0, limit: 1 }, signal)).total
        const at = w.oldest ? pageAt(have?.agents.length ?? 0, total, true) : pageAt(have?.agents.length ?? 0, have?.total, false)
        if (!at) {
          setLoaded(have ?? nothing)
          return
        }
        const page = await api.history({ ...q, ...at }, signal)
        if (now.current !== JSON.stringify(w)) return
        const got = page.agents ?? []
        if (w.oldest) got.reverse()
        const groups = new Map(have?.groups)
        for (const g of page.groups ?? []) groups.set(g.id, g)
        // What has begun meanwhile moves the pages: nobody is shown twice.
        const seen = new Set(have?.agents.map((a) => a.agentId))
        setLoaded({ agents: [...(have?.agents ?? []), ...got.filter((a) => !seen.has(a.agentId))], groups, total: page.total })
        setError('')
      } catch (e) {
        if (!signal?.aborted) setError(e instanceof Error ? e.message : String(e))
      } finally {
        if (!signal?.aborted) setBusy(false)
      }
    },
    [api, key],
  )

  useEffect(() => {
    const stop = new AbortController()
    setFresh(0)
    void load(null, stop.signal)
    return () => stop.abort()
  }, [load, round, seq])

  useEffect(
    () =>
      store.tap((told, before) => {
        const runs = told.filter((t) => t.type === 'agent:created').length
        if (runs > 0) setFresh((n) => n + runs)
        setLoaded((old) => (old ? { ...old, agents: updated(old.agents, store.get().agents, before.agents) } : old))
      }),
    [store],
  )

  return {
    loaded,
    error,
    busy,
    fresh,
    more: () => void load(loaded),
    reload: () => setRound((n) => n + 1),
  }
}

/** The runs with what was heard of them since; the same list if that is nothing. */
function updated(list: Agent[], agents: ReadonlyMap<string, Agent>, before: ReadonlyMap<string, Agent>): Agent[] {
  if (agents === before) return list
  let changed = false
  const next = list.map((a) => {
    const heard = agents.get(a.agentId)
    if (!heard || heard.version <= a.version || (heard.status === a.status && !ended(heard.status))) return a
    changed = true
    return { ...a, ...heard }
  })
  return changed ? next : list
}
