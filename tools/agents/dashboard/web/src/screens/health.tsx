import type { ReactNode } from 'react'
import { useApp, useData, useNow, useWritable } from '../state/app'
import type { Role } from '../wire/types'
import { moment, shortTime } from '../ui/format'
import { Icon } from '../ui/icons'
import { Spinner } from '../ui/parts'
import { Sigil } from '../ui/sigil'
import { fieldsOf } from './draft'
import { Suggestions } from './rolefields'

/** How far the checks are, in the three steps in which they go. */
export function HealthScreen() {
  const { words, ask, store, notify } = useApp()
  const w = words.health
  const roles = useData((d) => d.roles)
  const health = useData((d) => d.health)
  const writable = useWritable()
  const phase = health?.phase ?? 'models'
  const at = phase === 'models' ? 1 : phase === 'roles' ? 2 : 3
  const again = async () => {
    const before = store.get().health
    const answer = await ask('health:run')
    if (!answer) return
    // What the checks have found meanwhile is newer.
    if (store.get().health === before) store.push([{ type: 'healthcheck:begin', seq: 0, at: new Date().toISOString(), data: null }])
    notify({ tone: 'good', title: w.started })
  }
  const available = roles.filter((r) => r.state?.available).length
  const broken = roles.filter((r) => r.state && checkedOver(r) && !r.state.available).length
  return (
    <>
      <header className="screen-head">
        <div>
          <h1>{w.title}</h1>
          <p className="muted">{w.lead}</p>
        </div>
        {writable && (
          <button type="button" className="button" disabled={phase !== 'done'} onClick={() => void again()}>
            <Icon name="refresh" size={15} /> {w.again}
          </button>
        )}
      </header>
      <div className="steps">
        <Step n={1} at={at} title={at === 1 ? w.validating : w.validated}>
          <Tree roles={roles} line={(r) => <ModelLine role={r} />} />
        </Step>
        <Step n={2} at={at} title={at === 2 ? w.checking : w.checked}>
          <Tree roles={roles} line={(r) => <CheckLine role={r} started={at >= 2} />} />
        </Step>
        <Step n={3} at={at} title={at === 3 ? w.done : w.pendingDone}>
          <p className={`step-summary ${at === 3 ? (broken > 0 ? 'soft' : 'good') : ''}`} role="status">
            {at === 3 ? w.summary(roles.length, available) : w.waitingSummary}
          </p>
          {at === 3 && broken > 0 && <p className="bad">{w.warnings(broken)}</p>}
        </Step>
      </div>
      <div className="health-cards">
        {roles.map((r) => (
          <HealthCard key={r.id} role={r} />
        ))}
      </div>
      <Models />
    </>
  )
}

function checkedOver(r: Role): boolean {
  const s = r.state?.healthCheck.status
  return s === 'passed' || s === 'failed' || s === 'skipped'
}

function Step({ n, at, title, children }: { n: number; at: number; title: string; children: ReactNode }) {
  const { words } = useApp()
  const state = at > n || (n === 3 && at === 3) ? 'over' : at === n ? 'now' : 'later'
  return (
    <section className={`step ${state}`} aria-current={state === 'now' ? 'step' : undefined}>
      <h2>
        <span className="step-number">{words.health.step(n)}</span> {title}
        {state === 'now' && <Spinner />}
        {state === 'over' && <Icon name="check" size={17} />}
      </h2>
      {children}
    </section>
  )
}

function Tree({ roles, line }: { roles: readonly Role[]; line(r: Role): ReactNode }) {
  return (
    <ul className="tree">
      {roles.map((r, i) => (
        <li key={r.id}>
          <span className="tree-branch" aria-hidden>
            {i === roles.length - 1 ? '└─' : '├─'}
          </span>
          {line(r)}
        </li>
      ))}
    </ul>
  )
}

function ModelLine({ role }: { role: Role }) {
  const { words } = useApp()
  const v = role.state?.modelValidation
  return (
    <>
      <span className="tree-name">
        {role.id} <span className="muted">({role.model})</span>
      </span>
      {v?.status === 'valid' ? (
        <Mark tone="good" icon="check" text={words.health.valid} />
      ) : v?.status === 'invalid' ? (
        <Mark tone="bad" icon="cross" text={words.health.invalid} />
      ) : (
        <Mark tone="muted" icon="hourglass" text={words.health.pending} />
      )}
    </>
  )
}

function CheckLine({ role, started }: { role: Role; started: boolean }) {
  const { words } = useApp()
  const h = role.state?.healthCheck
  return (
    <>
      <span className="tree-name">{role.id}</span>
      {h?.status === 'passed' ? (
        <Mark tone="good" icon="check" text={words.health.ok(h.responseTime_ms ? shortTime(h.responseTime_ms) : '')} />
      ) : h?.status === 'failed' ? (
        <Mark tone="bad" icon="cross" text={words.health.failed} />
      ) : h?.status === 'skipped' ? (
        <Mark tone="soft" icon="warning" text={words.health.skipped} />
      ) : h?.status === 'running' && started ? (
        <Asking id={role.id} />
      ) : (
        <Mark tone="muted" icon="hourglass" text={words.health.pending} />
      )}
    </>
  )
}

function Asking({ id }: { id: string }) {
  const { words } = useApp()
  const since = useData((d) => d.checks.get(id))
  const now = useNow()
  return (
    <span className="mark running">
      <Spinner size={12} /> {words.health.checkingRole(since ? shortTime(Math.max(100, now - Date.parse(since))) : '')}
    </span>
  )
}

function Mark({ tone, icon, text }: { tone: string; icon: 'check' | 'cross' | 'warning' | 'hourglass'; text: string }) {
  return (
    <span className={`mark ${tone}`}>
      <Icon name={icon} size={14} /> {text}
    </span>
  )
}

/** A role with what is wrong with it, and what can be done about that. */
function HealthCard({ role }: { role: Role }) {
  const { words, ask, notify, language } = useApp()
  const writable = useWritable()
  const s = role.state
  const status = s?.healthCheck.status
  const invalid = s?.modelValidation.status === 'invalid'
  const tone = status === 'running' ? 'running' : s?.available ? 'completed' : status === 'failed' || invalid ? 'failed' : 'queued'
  const use = async (model: string) => {
    const old = fieldsOf(role)
    if (await ask('config:update_role', { role: { ...old, model }, old })) notify({ tone: 'good', title: words.health.changedTo(role.name, model) })
  }
  return (
    <article className={`health-card tone-${tone}`} data-role={role.id}>
      <Sigil role={role.id} tone={tone} size={44} />
      <div className="health-text">
        <h3>{role.name}</h3>
        <span className="id">
          {role.id} · {role.model}
        </span>
        {invalid && <p className="bad">{s.modelValidation.message}</p>}
        {!invalid && s?.healthCheck.reason && status !== 'passed' && <p className="bad">{s.healthCheck.reason}</p>}
        {s?.fallbackModel && <p className="soft">{words.roles.fallback(s.fallbackModel)}</p>}
        {invalid && <Suggestions state={s} label={words.health.use} onModel={(m) => void use(m)} disabled={!writable} />}
        {s?.healthCheck.checkedAt && <span className="muted small">{words.health.at(moment(s.healthCheck.checkedAt, language))}</span>}
      </div>
      <span className="health-sign">
        {status === 'running' ? <Spinner size={18} /> : s?.available ? <Icon name="check" size={20} /> : tone === 'failed' ? <Icon name="cross" size={20} /> : <Icon name="hourglass" size={18} />}
      </span>
    </article>
  )
}

function Models() {
  const { words } = useApp()
  const models = useData((d) => d.models)
  const all = Object.entries(models)
  return (
    <section className="models">
      <h2>{words.health.models}</h2>
      {all.length === 0 && <p className="muted">{words.health.modelsNone}</p>}
      {all.map(([executor, list]) => (
        <div key={executor} className="model-list">
          <h3>{executor}</h3>
          <ul>
            {list.map((m) => (
              <li key={m.id} title={m.name}>
                <code>{m.id}</code>
                {m.default && <span className="muted small">{words.health.defaultModel}</span>}
                {m.current && <span className="muted small">{words.health.currentModel}</span>}
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  )
}
