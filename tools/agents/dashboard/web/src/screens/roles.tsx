import { useEffect, useState } from 'react'
import { useApp, useData, useWritable } from '../state/app'
import type { Role } from '../wire/types'
import { shortTime } from '../ui/format'
import { Icon } from '../ui/icons'
import { Confirm, Empty, Spinner } from '../ui/parts'
import { Sigil } from '../ui/sigil'
import { blank, draftOf, fieldsOf, problemsOf, roleOf, sameDraft } from './draft'
import type { Draft } from './draft'
import { RoleFieldsForm } from './rolefields'

/** All roles, each to be edited where it stands. */
export function RolesScreen() {
  const { words } = useApp()
  const roles = useData((d) => d.roles)
  const ready = useData((d) => d.ready)
  const writable = useWritable()
  const [adding, setAdding] = useState(false)
  return (
    <>
      <header className="screen-head">
        <div>
          <h1>{words.roles.title}</h1>
          <p className="muted">{words.roles.lead}</p>
        </div>
        {writable && !adding && (
          <button type="button" className="button primary" onClick={() => setAdding(true)}>
            <Icon name="plus" size={15} /> {words.roles.add}
          </button>
        )}
      </header>
      {adding && <NewRole onDone={() => setAdding(false)} />}
      {ready && roles.length === 0 && !adding && <Empty title={words.roles.none} />}
      <div className="roles">
        {roles.map((r) => (
          <RoleCard key={r.id} role={r} />
        ))}
      </div>
    </>
  )
}

export function Availability({ role }: { role: Role }) {
  const { words } = useApp()
  const s = role.state
  if (!s) return <span className="badge tone-queued">{words.roles.unchecked}</span>
  const status = s.healthCheck.status
  if (s.modelValidation.status === 'pending' || status === 'running' || status === 'pending') {
    return (
      <span className="badge tone-running">
        <Spinner size={11} /> {words.roles.checking}
      </span>
    )
  }
  return (
    <span className={`badge ${s.available ? 'tone-completed' : 'tone-failed'}`}>
      <span className="badge-sign">
        <Icon name={s.available ? 'check' : 'cross'} size={12} />
      </span>
      {s.available ? words.roles.available : words.roles.unavailable}
    </span>
  )
}

function RoleCard({ role }: { role: Role }) {
  const { words, ask, notify } = useApp()
  const writable = useWritable()
  // What the edit began from: the server compares it with what it has when the edit is saved.
  const [base, setBase] = useState(() => fieldsOf(role))
  const [draft, setDraft] = useState<Draft>(() => draftOf(role))
  const [saving, setSaving] = useState(false)
  const [removing, setRemoving] = useState(false)
  const dirty = !sameDraft(draft, draftOf(base))
  const moved = JSON.stringify(fieldsOf(role)) !== JSON.stringify(base)
  useEffect(() => {
    if (!moved || dirty) return
    setBase(fieldsOf(role))
    setDraft(draftOf(role))
  }, [moved, dirty, role])

  const problems = dirty ? problemsOf(draft) : {}
  const reset = () => {
    setBase(fieldsOf(role))
    setDraft(draftOf(role))
  }
  const save = async () => {
    setSaving(true)
    const wanted = roleOf(draft, base)
    const answer = await ask('config:update_role', { role: wanted, old: base })
    setSaving(false)
    if (!answer) return
    // What the server has now arrives by itself; until then this is it.
    setBase(wanted)
    setDraft(draftOf(wanted))
    notify({ tone: 'good', title: words.roles.saved(wanted.name) })
  }
  const remove = (answer: string | null) => {
    setRemoving(false)
    if (answer === null) return
    void ask('config:delete_role', { roleId: role.id }).then((ok) => ok && notify({ tone: 'good', title: words.roles.removed(role.name) }))
  }
  const s = role.state
  const response = s?.healthCheck.responseTime_ms
  return (
    <form
      className={`role ${dirty ? 'dirty' : ''}`}
      data-role={role.id}
      aria-label={role.name}
      onSubmit={(e) => {
        e.preventDefault()
        if (dirty && Object.keys(problems).length === 0) void save()
      }}
    >
      <header className="role-head">
        <Sigil role={role.id} tone={s?.available ? 'completed' : s && s.modelValidation.status === 'invalid' ? 'failed' : undefined} size={50} />
        <div className="role-name">
          <h2>{role.name}</h2>
          <span className="id">{role.id}</span>
        </div>
        <div className="role-state">
          <Availability role={role} />
          {response ? <span className="muted small">{words.roles.respondedIn(shortTime(response))}</span> : null}
        </div>
      </header>
      {s?.healthCheck.reason && s.healthCheck.status !== 'passed' && s.modelValidation.status !== 'invalid' && <p className="role-problem">{s.healthCheck.reason}</p>}
      {s?.fallbackModel && <p className="role-problem soft">{words.roles.fallback(s.fallbackModel)}</p>}
      <RoleFieldsForm draft={draft} onDraft={setDraft} problems={problems} role={role} readOnly={!writable || saving} />
      {moved && dirty && (
        <p className="role-problem soft">
          {words.roles.changed}{' '}
          <button type="button" className="link" onClick={reset}>
            {words.roles.reload}
          </button>
        </p>
      )}
      {writable && (
        <footer className="role-foot">
          <button type="button" className="button quiet danger" onClick={() => setRemoving(true)} aria-label={`${words.roles.remove}: ${role.name}`}>
            <Icon name="trash" size={14} /> {words.dialog.delete}
          </button>
          <span className="push" />
          {dirty && <span className="unsaved">{words.roles.unsaved}</span>}
          <button type="button" className="button quiet" disabled={!dirty || saving} onClick={reset}>
            {words.roles.discard}
          </button>
          <button type="submit" className="button primary" disabled={!dirty || saving || Object.keys(problems).length > 0}>
            {saving ? words.roles.saving : words.roles.save}
          </button>
        </footer>
      )}
      {removing && (
        <Confirm
          title={words.roles.removeAsk}
          text={
            <>
              <strong>{role.name}</strong> <code>{role.id}</code>
              <p>{words.roles.removeText}</p>
            </>
          }
          action={words.dialog.delete}
          onDone={remove}
        />
      )}
    </form>
  )
}

function NewRole({ onDone }: { onDone(): void }) {
  const { words, ask, notify } = useApp()
  const taken = useData((d) => d.roles)
  const model = useData((d) => d.roles.find((r) => r.state?.available)?.model ?? Object.values(d.models)[0]?.[0]?.id ?? '')
  const [draft, setDraft] = useState<Draft>(() => ({ ...blank, model }))
  const [tried, setTried] = useState(false)
  const [saving, setSaving] = useState(false)
  const problems = problemsOf(draft, taken.map((r) => r.id))
  const create = async () => {
    setTried(true)
    if (Object.keys(problems).length > 0) return
    setSaving(true)
    const role = roleOf(draft)
    const answer = await ask('config:create_role', { role })
    setSaving(false)
    if (!answer) return
    notify({ tone: 'good', title: words.roles.added(role.name) })
    onDone()
  }
  return (
    <form
      className="role new dirty"
      aria-label={words.roles.add}
      onSubmit={(e) => {
        e.preventDefault()
        void create()
      }}
    >
      <header className="role-head">
        <Sigil role={draft.id || 'new-role'} size={50} />
        <div className="role-name">
          <h2>{draft.name || words.roles.add}</h2>
          <span className="id">{draft.id || '—'}</span>
        </div>
      </header>
      <RoleFieldsForm draft={draft} onDraft={setDraft} problems={tried ? problems : {}} readOnly={saving} />
      <footer className="role-foot">
        <span className="push" />
        <button type="button" className="button quiet" onClick={onDone}>
          {words.roles.cancel}
        </button>
        <button type="submit" className="button primary" disabled={saving}>
          {saving ? words.roles.saving : words.roles.create}
        </button>
      </footer>
    </form>
  )
}
