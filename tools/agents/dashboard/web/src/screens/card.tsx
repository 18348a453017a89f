import { memo, useRef, useState } from 'react'
import { useApp, useData, useWritable } from '../state/app'
import { choose } from '../state/route'
import { ended } from '../wire/types'
import type { Agent } from '../wire/types'
import { Icon } from '../ui/icons'
import { Confirm, Elapsed, StatusBadge } from '../ui/parts'
import { Sigil } from '../ui/sigil'
import { toneOf } from '../ui/tone'
import { toolName, toolSubject } from '../ui/tool'

export const cardHeight = 186

/** An agent at a glance. */
export const AgentCard = memo(function AgentCard({ id }: { id: string }) {
  const { words } = useApp()
  const agent = useData((d) => d.agents.get(id))
  const roleName = useData((d) => d.roles.find((r) => r.id === agent?.role)?.name)
  const first = useRef(agent?.status)
  if (!agent) return null
  const tone = toneOf(agent)
  // What has ended before the eyes of the reader is shown with a gesture, once.
  const just = first.current !== agent.status ? 'just' : ''
  return (
    <article className={`card tone-${tone} ${just}`} data-agent={id} data-status={agent.status}>
      <header className="card-head">
        <Sigil role={agent.role} tone={tone} />
        <div className="card-name">
          <h3>
            <button type="button" className="card-open" onClick={() => choose({ agent: id })} aria-label={words.card.open(roleName ?? agent.role, id)}>
              {roleName ?? agent.role}
            </button>
          </h3>
          <span className="id" title={id}>
            {id}
          </span>
        </div>
        <StatusBadge agent={agent} />
      </header>
      <Message agent={agent} />
      <footer className="card-foot">
        <span className="fact grow" title={`${words.card.model}: ${agent.modelName || agent.model}`}>
          <Icon name="moon" size={13} />
          <span className="clip">{agent.modelName || agent.model}</span>
        </span>
        {agent.depth ? (
          <span className="fact" title={words.card.nested}>
            <Icon name="branch" size={13} />
          </span>
        ) : null}
        <span className="fact count" title={words.card.tools(agent.toolCallCount)}>
          <Icon name="wrench" size={13} label={words.detail.toolCalls} />
          <span key={agent.toolCallCount} className="tick">
            {agent.toolCallCount}
          </span>
        </span>
        <span className="fact time" title={words.card.elapsed}>
          <Icon name="clock" size={13} label={words.card.elapsed} />
          <Elapsed agent={agent} />
        </span>
        {!ended(agent.status) && <Cancel id={id} />}
      </footer>
    </article>
  )
})

/** What the agent says, or does, or waits for. */
function Message({ agent }: { agent: Agent }) {
  const { words } = useApp()
  const calls = useData((d) => d.calls.get(agent.agentId))
  const last = calls?.at(-1)
  const over = ended(agent.status)
  const said = (over && (agent.error || agent.result?.summary || agent.report?.summary)) || agent.lastAssistantMessage || ''
  let quiet = words.card.silentText
  if (agent.status === 'queued') quiet = words.card.queuedText
  if (agent.status === 'blocked') quiet = words.card.waitsFor(agent.dependsOn?.length ?? 0)
  return (
    <div className="card-body">
      {said ? <p className={`said ${over && agent.error ? 'wrong' : ''}`}>{tail(said, over)}</p> : !over && <p className="said quiet">{quiet}</p>}
      {!over && last && (
        <p className={`doing ${last.failed ? 'wrong' : ''}`}>
          <span className="doing-name">{toolName(last)}</span>
          <span className="clip">{toolSubject(last, agent.workingDirectory)}</span>
        </p>
      )}
      {over && <Files agent={agent} />}
    </div>
  )
}

function Files({ agent }: { agent: Agent }) {
  const created = agent.result?.createdFiles?.length ?? 0
  const edited = agent.result?.editedFiles?.length ?? 0
  const { words } = useApp()
  if (created + edited === 0) return null
  return (
    <p className="doing files">
      <Icon name="file" size={13} />
      <span className="clip">{[created > 0 && words.history.created(created), edited > 0 && words.history.edited(edited)].filter(Boolean).join(words.history.and)}</span>
    </p>
  )
}

// Of what is still being said the end is new; of what was said the beginning tells most.
function tail(text: string, over: boolean): string {
  const t = text.trim()
  if (over) return t.slice(0, 300)
  return t.length <= 160 ? t : `…${t.slice(-150)}`
}

export function Cancel({ id, wide = false }: { id: string; wide?: boolean }) {
  const { words, ask } = useApp()
  const [asking, setAsking] = useState(false)
  const [busy, setBusy] = useState(false)
  const writable = useWritable()
  if (!writable) return null
  const done = (reason: string | null) => {
    setAsking(false)
    if (reason === null) return
    setBusy(true)
    void ask('agent:cancel', { agentId: id, reason }).finally(() => setBusy(false))
  }
  return (
    <>
      <button
        type="button"
        className={wide ? 'button danger' : 'icon-button danger above'}
        aria-label={words.card.cancelOf(id)}
        title={words.card.cancel}
        disabled={busy}
        onClick={() => setAsking(true)}
      >
        <Icon name="stop" size={wide ? 14 : 15} />
        {wide && words.card.cancel}
      </button>
      {asking && (
        <Confirm
          title={words.card.cancelAsk}
          text={
            <>
              <code>{id}</code>
              <p>{words.card.cancelText}</p>
            </>
          }
          action={words.card.cancel}
          field={words.card.reason}
          onDone={done}
        />
      )}
    </>
  )
}
