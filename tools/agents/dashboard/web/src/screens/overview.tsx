import type { ReactNode } from 'react'
import { useApp, useData } from '../state/app'
import { choose } from '../state/route'
import type { Agent, Change } from '../wire/types'
import { count, dollars, moment, shortTime } from '../ui/format'
import { Icon } from '../ui/icons'

/** What is known of a run, most important first. */
export function Overview({ agent }: { agent: Agent }) {
  const { words } = useApp()
  const error = agent.error || agent.result?.errorMessage || agent.report?.errorMessage
  const summary = agent.result?.summary || agent.report?.summary
  return (
    <div className="overview">
      {error && (
        <Part title={words.detail.error}>
          <pre className="text wrong">{error}</pre>
        </Part>
      )}
      {summary && (
        <Part title={words.detail.summary} note={agent.report ? words.detail.reportOf(words.detail.via[agent.report.via] ?? agent.report.via) : undefined}>
          <pre className="text">{summary}</pre>
        </Part>
      )}
      {agent.lastAssistantMessage && agent.lastAssistantMessage !== summary && (
        <Part title={words.detail.lastMessage}>
          <pre className="text">{agent.lastAssistantMessage}</pre>
        </Part>
      )}
      <Changes agent={agent} />
      <Facts agent={agent} />
      {agent.prompt && (
        <Part title={words.detail.prompt}>
          <pre className="text">{agent.prompt}</pre>
        </Part>
      )}
    </div>
  )
}

function Part({ title, note, children }: { title: string; note?: string; children: ReactNode }) {
  return (
    <section className="part-box">
      <h3>
        {title}
        {note && <span className="muted small"> {note}</span>}
      </h3>
      {children}
    </section>
  )
}

/** The files that an agent has changed, from the most that is known of them. */
export function changesOf(agent: Agent): Change[] {
  const r = agent.result
  if (r?.changes?.length) return r.changes
  const of = (kind: string, paths: string[] | null | undefined): Change[] => (paths ?? []).map((path) => ({ path, kind, sources: [] }))
  if (r) return [...of('created', r.createdFiles), ...of('edited', r.editedFiles), ...of('deleted', r.deletedFiles)]
  return [...of('created', agent.report?.createdFiles), ...of('edited', agent.report?.editedFiles)]
}

function Changes({ agent }: { agent: Agent }) {
  const { words } = useApp()
  const changes = changesOf(agent)
  if (changes.length === 0) return null
  const kinds: Record<string, string> = { created: words.detail.created, edited: words.detail.edited, deleted: words.detail.deleted }
  return (
    <Part title={`${words.detail.files} (${changes.length})`}>
      <ul className="changes">
        {changes.map((c) => (
          <li key={`${c.kind} ${c.path}`} className={`change change-${c.kind}`}>
            <span className="change-kind">{kinds[c.kind] ?? c.kind}</span>
            <code>{c.path}</code>
            {c.uncertain && (
              <span className="change-doubt" title={words.detail.uncertain}>
                <Icon name="warning" size={13} label={words.detail.uncertain} />
              </span>
            )}
            <span className="change-sources">{c.sources.map((s) => words.detail.sources[s] ?? s).join(' · ')}</span>
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Facts({ agent: a }: { agent: Agent }) {
  const { words, language } = useApp()
  const w = words.detail
  const group = useData((d) => d.groups.get(a.groupId))
  const u = a.usage
  const facts: [string, ReactNode][] = [
    [w.group, a.groupId && (group ? `${group.description} (${a.groupId})` : a.groupId)],
    [w.model, a.modelName && a.modelName !== a.model ? `${a.modelName} (${a.model})` : a.model],
    [w.createdAt, moment(a.createdAt, language)],
    [w.startedAt, moment(a.startedAt, language)],
    [w.endedAt, moment(a.endedAt, language)],
    [w.duration, a.startedAt && a.endedAt && shortTime(Date.parse(a.endedAt) - Date.parse(a.startedAt))],
    [w.tokens, u && `${w.tokensOf(count(u.inputTokens), count(u.outputTokens))}${u.cacheReadTokens || u.cacheWriteTokens ? ` · ${w.cache(count(u.cacheReadTokens), count(u.cacheWriteTokens))}` : ''}`],
    [w.cost, u?.costUSD ? `${dollars(u.costUSD)}${u.estimated ? ` (${w.estimated})` : ''}` : ''],
    [w.dependsOn, a.dependsOn?.length ? <Agents key="d" ids={a.dependsOn} /> : ''],
    [w.parent, a.parent && <Agents key="p" ids={[a.parent]} />],
    [w.follows, a.follows && <Agents key="f" ids={[a.follows]} />],
    [w.runner, a.runner && ((a.attempt ?? 1) > 1 ? `${a.runner} · ${w.attempt(a.attempt!)}` : a.runner)],
    [w.directory, a.workingDirectory && <code key="c">{a.workingDirectory}</code>],
    [w.worktree, a.result?.worktree && <code key="w">{a.result.worktree}</code>],
    [w.branch, a.result?.branch && <code key="b">{a.result.branch}</code>],
    [w.session, a.sessionId && <code key="s">{a.sessionId}</code>],
    [w.contextFiles, a.contextFiles?.length ? a.contextFiles.join(', ') : ''],
    [w.readOnly, a.readOnly ? '✓' : ''],
  ]
  return (
    <Part title={w.facts}>
      <dl className="facts">
        {facts.map(([name, value]) =>
          value ? (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
    </Part>
  )
}

function Agents({ ids }: { ids: string[] }) {
  return (
    <>
      {ids.map((id) => (
        <button key={id} type="button" className="link" onClick={() => choose({ agent: id })}>
          {id}
        </button>
      ))}
    </>
  )
}
