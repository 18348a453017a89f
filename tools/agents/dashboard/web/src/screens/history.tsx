import { memo, useEffect, useMemo, useState } from 'react'
import { useApp, useData } from '../state/app'
import { choose, useRoute } from '../state/route'
import type { Agent, Group, Status } from '../wire/types'
import { elapsed, moment, shortTime } from '../ui/format'
import { Icon } from '../ui/icons'
import { Empty, Spinner, StatusBadge } from '../ui/parts'
import { Sigil } from '../ui/sigil'
import { toneOf } from '../ui/tone'
import { changesOf } from './overview'
import { useHistory } from './historydata'
import type { Wanted } from './historydata'

const statuses: Status[] = ['completed', 'failed', 'timedOut', 'cancelled', 'resultReported', 'running', 'queued', 'blocked']

/** All runs that are kept. What is asked for stands in the address, so that it can be shared. */
export function HistoryScreen() {
  const { words } = useApp()
  const { params } = useRoute()
  const get = (key: string) => params.get(key) ?? ''
  const wanted: Wanted = {
    group: get('group'),
    status: get('status'),
    role: get('role'),
    text: get('text'),
    since: get('since'),
    until: get('until'),
    oldest: get('order') === 'oldest',
  }
  const grouped = get('grouped') !== 'no'
  const { loaded, error, busy, fresh, more, reload } = useHistory(wanted)
  const filtered = Boolean(wanted.group || wanted.status || wanted.role || wanted.text || wanted.since || wanted.until)
  return (
    <>
      <header className="screen-head">
        <div>
          <h1>{words.history.title}</h1>
          <p className="muted" role="status">
            {loaded ? words.history.total(loaded.total) : ' '}
          </p>
        </div>
        <div className="screen-tools">
          {fresh > 0 && (
            <button type="button" className="button" onClick={reload}>
              <Icon name="refresh" size={15} /> {words.history.fresh(fresh)}
            </button>
          )}
          <label className="checkbox">
            <input type="checkbox" checked={grouped} onChange={(e) => choose({ grouped: e.target.checked ? undefined : 'no' }, 'replace')} />
            <span>{words.history.grouped}</span>
          </label>
          <select aria-label={words.history.order} value={wanted.oldest ? 'oldest' : ''} onChange={(e) => choose({ order: e.target.value || undefined }, 'replace')}>
            <option value="">{words.history.newest}</option>
            <option value="oldest">{words.history.oldest}</option>
          </select>
        </div>
      </header>
      <Filters wanted={wanted} filtered={filtered} known={loaded?.groups} />
      {error && <p className="role-problem">{`${words.detail.loadFailed}: ${error}`}</p>}
      {loaded && loaded.agents.length === 0 && !busy && <Empty title={filtered ? words.history.noMatch : words.history.none} />}
      {loaded && loaded.agents.length > 0 && <Table agents={loaded.agents} groups={loaded.groups} grouped={grouped} />}
      <div className="more-row">
        {busy ? (
          <Spinner size={20} />
        ) : (
          loaded && loaded.agents.length < loaded.total && (
            <button type="button" className="button" onClick={more}>
              {words.history.more} ({loaded.agents.length} / {loaded.total})
            </button>
          )
        )}
      </div>
    </>
  )
}

function Filters({ wanted, filtered, known }: { wanted: Wanted; filtered: boolean; known?: Map<string, Group> }) {
  const { words } = useApp()
  const w = words.history
  const roles = useData((d) => d.roles)
  const active = useData((d) => d.groups)
  const [text, setText] = useState(wanted.text)
  const [open, setOpen] = useState(filtered)
  useEffect(() => setText(wanted.text), [wanted.text])
  useEffect(() => {
    if (text === wanted.text) return
    const timer = setTimeout(() => choose({ text }, 'replace'), 250)
    return () => clearTimeout(timer)
  }, [text, wanted.text])
  const groups = useMemo(() => [...new Map([...active, ...(known ?? [])]).values()].sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt)), [active, known])
  const set = (key: string) => (e: { target: { value: string } }) => choose({ [key]: e.target.value || undefined }, 'replace')
  return (
    <div className={`filters ${open ? 'open' : ''}`}>
      <label className="search">
        <Icon name="search" size={15} />
        <input type="search" value={text} onChange={(e) => setText(e.target.value)} placeholder={w.search} aria-label={w.search} />
      </label>
      <button type="button" className="button filters-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {w.filter}
      </button>
      <label className="filter">
        <span>{w.group}</span>
        <select value={wanted.group} onChange={set('group')}>
          <option value="">{w.any}</option>
          {wanted.group && !groups.some((g) => g.id === wanted.group) && <option value={wanted.group}>{wanted.group}</option>}
          {groups.map((g) => (
            <option key={g.id} value={g.id}>
              {g.description || g.id}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        <span>{w.status}</span>
        <select value={wanted.status} onChange={set('status')}>
          <option value="">{w.any}</option>
          {statuses.map((s) => (
            <option key={s} value={s}>
              {words.status[s]}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        <span>{w.role}</span>
        <select value={wanted.role} onChange={set('role')}>
          <option value="">{w.any}</option>
          {wanted.role && !roles.some((r) => r.id === wanted.role) && <option value={wanted.role}>{wanted.role}</option>}
          {roles.map((r) => (
            <option key={r.id} value={r.id}>
              {r.name}
            </option>
          ))}
        </select>
      </label>
      <label className="filter">
        <span>{w.since}</span>
        <input type="date" value={wanted.since} max={wanted.until || undefined} onChange={set('since')} />
      </label>
      <label className="filter">
        <span>{w.until}</span>
        <input type="date" value={wanted.until} min={wanted.since || undefined} onChange={set('until')} />
      </label>
      {filtered && (
        <button
          type="button"
          className="button quiet"
          onClick={() => choose({ group: undefined, status: undefined, role: undefined, text: undefined, since: undefined, until: undefined }, 'replace')}
        >
          {w.clear}
        </button>
      )}
    </div>
  )
}

/** The runs of each group together, groups in the order of their first run here. */
export function byGroup(agents: readonly Agent[]): [string, Agent[]][] {
  const groups = new Map<string, Agent[]>()
  for (const a of agents) {
    const list = groups.get(a.groupId)
    if (list) list.push(a)
    else groups.set(a.groupId, [a])
  }
  return [...groups]
}

function Table({ agents, groups, grouped }: { agents: Agent[]; groups: Map<string, Group>; grouped: boolean }) {
  const { words } = useApp()
  const c = words.history.columns
  const parts = grouped ? byGroup(agents) : ([['', agents]] as [string, Agent[]][])
  return (
    <table className={`history ${grouped ? 'grouped' : ''}`}>
      <thead>
        <tr>
          <th scope="col">{c.status}</th>
          <th scope="col">{c.agent}</th>
          {!grouped && <th scope="col">{c.group}</th>}
          <th scope="col" className="wide">
            {c.summary}
          </th>
          <th scope="col" className="number">
            {c.duration}
          </th>
          <th scope="col">{c.files}</th>
          <th scope="col" className="number">
            {c.tools}
          </th>
          <th scope="col">{c.when}</th>
        </tr>
      </thead>
      {parts.map(([id, list]) => (
        <tbody key={id}>
          {grouped && (
            <tr className="history-group">
              <th scope="rowgroup" colSpan={7}>
                {id ? groups.get(id)?.description || id : words.dashboard.unsorted} {id && <span className="id">{id}</span>}
                {groups.get(id)?.status === 'deleted' && <span className="muted small"> {words.history.deletedGroup}</span>}
                <span className="muted small"> {words.dashboard.agents(list.length)}</span>
              </th>
            </tr>
          )}
          {list.map((a) => (
            <Row key={a.agentId} agent={a} group={grouped ? undefined : (groups.get(a.groupId)?.description ?? a.groupId)} />
          ))}
        </tbody>
      ))}
    </table>
  )
}

const Row = memo(function Row({ agent: a, group }: { agent: Agent; group?: string }) {
  const { words, language } = useApp()
  const roleName = useData((d) => d.roles.find((r) => r.id === a.role)?.name)
  const c = words.history.columns
  const ms = a.endedAt ? elapsed(a, 0) : undefined
  const changes = changesOf(a)
  const shown = changes.slice(0, 3)
  const summary = a.result?.summary || a.report?.summary || a.error || a.lastAssistantMessage
  return (
    <tr className="run" data-agent={a.agentId} onClick={() => choose({ agent: a.agentId })}>
      <td data-label={c.status}>
        <StatusBadge agent={a} />
      </td>
      <td data-label={c.agent} className="run-agent">
        <Sigil role={a.role} tone={toneOf(a)} size={28} />
        <span>
          <button
            type="button"
            className="link strong"
            aria-label={words.card.open(roleName ?? a.role, a.agentId)}
            onClick={(e) => {
              e.stopPropagation()
              choose({ agent: a.agentId })
            }}
          >
            {roleName ?? a.role}
          </button>
          <span className="id">{a.agentId}</span>
        </span>
      </td>
      {group !== undefined && (
        <td data-label={c.group} className="run-group">
          <span className="clamp">{group}</span>
        </td>
      )}
      <td data-label={c.summary} className={`wide ${summary ? '' : 'none'}`}>
        <span className={`clamp ${a.error ? 'wrong' : ''}`}>{summary || '—'}</span>
      </td>
      <td data-label={c.duration} className={`number nowrap ${ms === undefined ? 'none' : ''}`}>
        {ms === undefined ? '—' : shortTime(ms)}
      </td>
      <td data-label={c.files} className={`run-files ${shown.length === 0 ? 'none' : ''}`}>
        {shown.length === 0 && '—'}
        {shown.map((f) => (
          <code key={`${f.kind} ${f.path}`} className={`change-${f.kind}`} title={f.path}>
            {sign(f.kind)} {short(f.path)}
          </code>
        ))}
        {changes.length > shown.length && <span className="muted small">+{changes.length - shown.length}</span>}
      </td>
      <td data-label={c.tools} className="number">
        {a.toolCallCount}
      </td>
      <td data-label={c.when} className="nowrap run-when">
        {moment(a.startedAt ?? a.createdAt, language)}
      </td>
    </tr>
  )
})

const sign = (kind: string) => (kind === 'created' ? '+' : kind === 'deleted' ? '−' : '~')
const short = (path: string) => (path.length <= 30 ? path : `…${path.slice(-29)}`)
