import { useMemo, useState } from 'react'
import { useApp, useData } from '../state/app'
import { tally } from '../state/reduce'
import type { Data, Tally } from '../state/reduce'
import type { Agent } from '../wire/types'
import { Icon } from '../ui/icons'
import { Empty } from '../ui/parts'
import { GreatCircle } from '../ui/sigil'
import { toneOf } from '../ui/tone'
import type { Tone } from '../ui/tone'
import { GroupSection } from './group'

export type Filter = 'all' | 'running' | 'waiting' | 'done' | 'failed'

const tonesOf: Record<Exclude<Filter, 'all'>, readonly Tone[]> = {
  running: ['running', 'stalled'],
  waiting: ['queued', 'blocked'],
  done: ['completed', 'reported'],
  failed: ['failed', 'timedOut', 'cancelled'],
}

/** Whether an agent is among those asked for. */
export function fits(a: Agent, filter: Filter, text: string): boolean {
  if (filter !== 'all' && !tonesOf[filter].includes(toneOf(a))) return false
  if (!text) return true
  const needle = text.toLowerCase()
  return [a.agentId, a.role, a.model, a.lastAssistantMessage ?? '', a.result?.summary ?? ''].some((s) => s.toLowerCase().includes(needle))
}

/** The groups in which agents work, the newest first. */
export function DashboardScreen() {
  const { words } = useApp()
  const ready = useData((d) => d.ready)
  const groups = useData((d) => d.groups)
  const loose = useData((d) => d.members.get('')?.length ?? 0)
  const [filter, setFilter] = useState<Filter>('all')
  const [text, setText] = useState('')
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const ids = useMemo(() => [...groups.keys()].reverse(), [groups])
  const all = loose > 0 ? [...ids, ''] : ids
  const toggle = (id: string) =>
    setClosed((old) => {
      const next = new Set(old)
      if (!next.delete(id)) next.add(id)
      return next
    })
  if (!ready) {
    return (
      <Empty title={words.dashboard.loading}>
        <GreatCircle className="large" />
      </Empty>
    )
  }
  const allClosed = all.length > 0 && all.every((id) => closed.has(id))
  return (
    <>
      <h1 className="visually-hidden">{words.dashboard.title}</h1>
      <Summary filter={filter} onFilter={setFilter} />
      {all.length === 0 ? (
        <Empty title={words.dashboard.emptyTitle} text={words.dashboard.emptyText}>
          <GreatCircle className="large" />
        </Empty>
      ) : (
        <>
          <div className="toolbar">
            <label className="search">
              <Icon name="search" size={15} />
              <input type="search" value={text} onChange={(e) => setText(e.target.value)} placeholder={words.dashboard.search} aria-label={words.dashboard.search} />
            </label>
            <button type="button" className="button quiet" onClick={() => setClosed(allClosed ? new Set() : new Set(all))}>
              {allClosed ? words.dashboard.expandAll : words.dashboard.collapseAll}
            </button>
          </div>
          {all.map((id) => (
            <GroupSection key={id} id={id} open={!closed.has(id)} onToggle={toggle} filter={filter} text={text.trim()} />
          ))}
          <NoMatch filter={filter} text={text.trim()} onClear={() => { setFilter('all'); setText('') }} />
        </>
      )}
    </>
  )
}

function NoMatch({ filter, text, onClear }: { filter: Filter; text: string; onClear(): void }) {
  const { words } = useApp()
  const none = useData((d) => (filter !== 'all' || text !== '') && ![...d.agents.values()].some((a) => fits(a, filter, text)))
  if (!none) return null
  return (
    <Empty title={words.dashboard.noMatch}>
      <button type="button" className="button" onClick={onClear}>
        {words.dashboard.clear}
      </button>
    </Empty>
  )
}

let last: { agents: Data['agents']; total: Tally } | undefined

function totals(d: Data): Tally {
  if (last?.agents !== d.agents) {
    const fresh = tally([...d.agents.values()])
    const old = last?.total
    const same = old && (Object.keys(fresh) as (keyof Tally)[]).every((k) => old[k] === fresh[k])
    last = { agents: d.agents, total: same ? old : fresh }
  }
  return last.total
}

/** All agents counted; each count is a filter. */
function Summary({ filter, onFilter }: { filter: Filter; onFilter(f: Filter): void }) {
  const { words } = useApp()
  const t = useData(totals)
  const most = useData((d) => d.server?.maxConcurrent ?? 0)
  const tiles: [Filter, number, string][] = [
    ['all', t.total, words.tally.all],
    ['running', t.running, words.tally.running],
    ['waiting', t.waiting, words.tally.waiting],
    ['done', t.done, words.tally.done],
    ['failed', t.failed + t.cancelled, words.tally.failed],
  ]
  return (
    <div className="summary" role="group" aria-label={words.dashboard.filter}>
      {tiles.map(([name, n, word]) => (
        <button key={name} type="button" className={`tile tile-${name}`} aria-pressed={filter === name} onClick={() => onFilter(filter === name ? 'all' : name)}>
          <span className="tile-number">{n}</span>
          <span className="tile-word">{word}</span>
          {name === 'running' && most > 0 && <Slots used={t.running} most={most} label={words.tally.slots(t.running, most)} />}
        </button>
      ))}
    </div>
  )
}

function Slots({ used, most, label }: { used: number; most: number; label: string }) {
  if (most > 24) {
    return (
      <span className="slots-text" title={label}>
        {used} / {most}
      </span>
    )
  }
  return (
    <span className="slots" title={label}>
      <span className="visually-hidden">{label}</span>
      {Array.from({ length: most }, (_, i) => (
        <span key={i} className={i < used ? 'slot used' : 'slot'} />
      ))}
    </span>
  )
}
