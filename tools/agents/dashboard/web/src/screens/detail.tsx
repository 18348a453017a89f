import { useEffect, useState } from 'react'
import type { KeyboardEvent } from 'react'
import { useApp, useData } from '../state/app'
import { choose } from '../state/route'
import type { OutputKind } from '../wire/api'
import { ended } from '../wire/types'
import type { Agent, ToolCall } from '../wire/types'
import { Icon } from '../ui/icons'
import { Copy, Elapsed, Modal, Spinner, StatusBadge } from '../ui/parts'
import { Sigil } from '../ui/sigil'
import { toneOf } from '../ui/tone'
import { toolName, toolSubject } from '../ui/tool'
import { shortTime } from '../ui/format'
import { Cancel } from './card'
import { Overview } from './overview'
import { OutputView } from './output'

/** The record of an agent: what is heard of it now, on what the server has kept. */
function useAgent(id: string): { agent: Agent | undefined; missing: string } {
  const { api } = useApp()
  const heard = useData((d) => d.agents.get(id))
  const [kept, setKept] = useState<Agent>()
  const [missing, setMissing] = useState('')
  const end = [heard?.status, heard?.report?.at, heard?.result?.timestamp].join()
  useEffect(() => {
    const stop = new AbortController()
    setMissing('')
    api
      .agent(id, stop.signal)
      .then(setKept)
      .catch((e) => {
        if (!stop.signal.aborted) setMissing(e instanceof Error ? e.message : String(e))
      })
    return () => stop.abort()
    // Its end brings what is not sent unasked.
  }, [api, id, end])
  const of = kept?.agentId === id ? kept : undefined
  if (!heard || (of && of.version >= heard.version)) return { agent: of ?? heard, missing }
  return { agent: { ...of, ...heard, prompt: of?.prompt, contextFiles: of?.contextFiles, recentToolCalls: of?.recentToolCalls }, missing }
}

const views = ['overview', 'tools', 'text', 'diff', 'log', 'stderr'] as const
type View = (typeof views)[number]

/** Everything about one agent, beside the page. */
export function DetailDrawer({ id }: { id: string }) {
  const { words } = useApp()
  const { agent, missing } = useAgent(id)
  const roleName = useData((d) => d.roles.find((r) => r.id === agent?.role)?.name)
  const [view, setView] = useState<View>('overview')
  const close = () => choose({ agent: undefined })
  const live = agent ? !ended(agent.status) : false
  return (
    <Modal className="drawer" label={words.card.open(roleName ?? agent?.role ?? '', id)} onClose={close}>
      <div className="drawer-inside">
        <header className="drawer-head">
          {agent && <Sigil role={agent.role} tone={toneOf(agent)} size={54} />}
          <div className="drawer-name">
            <h2>{roleName ?? agent?.role ?? id}</h2>
            <span className="id">
              {id} <Copy text={id} />
            </span>
          </div>
          <button type="button" className="icon-button" aria-label={words.detail.close} onClick={close} data-focus>
            <Icon name="cross" size={18} />
          </button>
        </header>
        {agent && (
          <div className="drawer-state">
            <StatusBadge agent={agent} />
            <span className="fact time">
              <Icon name="clock" size={14} /> <Elapsed agent={agent} />
            </span>
            <span className="fact">
              <Icon name="wrench" size={14} /> {words.card.tools(agent.toolCallCount)}
            </span>
            <span className="push" />
            {live && <Cancel id={id} wide />}
          </div>
        )}
        <Tabs view={view} onView={setView} />
        <div className="drawer-body" role="tabpanel" tabIndex={0} id="detail-panel" aria-labelledby={`detail-tab-${view}`}>
          {agent ? <Content view={view} agent={agent} live={live} /> : missing ? <p className="output-note">{`${words.detail.notFound} (${missing})`}</p> : <Spinner />}
        </div>
      </div>
    </Modal>
  )
}

function Content({ view, agent, live }: { view: View; agent: Agent; live: boolean }) {
  if (view === 'overview') return <Overview agent={agent} />
  if (view === 'tools') return <Calls agent={agent} />
  return <OutputView key={view} id={agent.agentId} kind={view as OutputKind} live={live} />
}

function Tabs({ view, onView }: { view: View; onView(v: View): void }) {
  const { words } = useApp()
  const move = (e: KeyboardEvent) => {
    const step = e.key === 'ArrowRight' ? 1 : e.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    e.preventDefault()
    const next = views[(views.indexOf(view) + step + views.length) % views.length]
    if (!next) return
    onView(next)
    document.getElementById(`detail-tab-${next}`)?.focus()
  }
  return (
    <div className="tabs" role="tablist" aria-label={words.detail.views} onKeyDown={move}>
      {views.map((v) => (
        <button
          key={v}
          id={`detail-tab-${v}`}
          type="button"
          role="tab"
          aria-selected={v === view}
          aria-controls="detail-panel"
          tabIndex={v === view ? 0 : -1}
          onClick={() => onView(v)}
        >
          {words.detail[v]}
        </button>
      ))}
    </div>
  )
}

/** The calls of tools that are known, the newest first. */
function Calls({ agent }: { agent: Agent }) {
  const { words } = useApp()
  const heard = useData((d) => d.calls.get(agent.agentId))
  const over = ended(agent.status)
  const calls = mergeCalls(agent.recentToolCalls ?? [], heard ?? [])
  if (calls.length === 0) return <p className="output-note">{words.detail.noTools}</p>
  return (
    <>
      <p className="muted small">{words.detail.shown(calls.length, Math.max(agent.toolCallCount, calls.length))}</p>
      <ol className="calls" reversed>
        {calls.toReversed().map((c) => (
          <li key={c.seq} className={`call ${c.failed ? 'wrong' : ''} ${c.subtype === 'completed' || over ? '' : 'open'}`}>
            <span className="call-seq">{c.seq}</span>
            <span className="call-name">{toolName(c)}</span>
            <span className="call-subject">{toolSubject(c, agent.workingDirectory)}</span>
            <span className="call-time">
              {c.subtype !== 'completed' ? !over && <Spinner size={11} /> : c.failed ? words.detail.toolFailed : c.startedAt && c.endedAt ? shortTime(Date.parse(c.endedAt) - Date.parse(c.startedAt)) : ''}
            </span>
          </li>
        ))}
      </ol>
    </>
  )
}

/** The calls that were kept and those that were heard, each once, in their order. */
export function mergeCalls(kept: readonly ToolCall[], heard: readonly ToolCall[]): ToolCall[] {
  const all = new Map<number, ToolCall>()
  for (const c of [...kept, ...heard]) {
    const old = all.get(c.seq)
    if (!old || old.subtype !== 'completed') all.set(c.seq, { ...old, ...c, args: c.args ?? old?.args })
  }
  return [...all.values()].sort((a, b) => a.seq - b.seq)
}
