import { useEffect, useId, useState } from 'react'
import type { ReactNode } from 'react'
import { useApp, useData, usePhase } from '../state/app'
import type { Model, Role, RoleState } from '../wire/types'
import { Icon } from '../ui/icons'
import { Spinner } from '../ui/parts'
import type { Draft, Problem } from './draft'

interface Props {
  draft: Draft
  onDraft(d: Draft): void
  problems: Partial<Record<keyof Draft, Problem>>
  /** The role as it is; undefined for one that is being made. */
  role?: Role
  readOnly: boolean
}

export function RoleFieldsForm({ draft, onDraft, problems, role, readOnly }: Props) {
  const { words } = useApp()
  const w = words.roles
  const executors = useData((d) => d.models)
  const set = <K extends keyof Draft>(key: K, value: Draft[K]) => onDraft({ ...draft, [key]: value })
  const problem = (key: keyof Draft) => {
    const p = problems[key]
    return p && w[p]
  }
  return (
    <div className="role-fields">
      {!role && (
        <Field label={w.id} hint={w.idHint} problem={problem('id')}>
          {(p) => <input {...p} value={draft.id} disabled={readOnly} maxLength={64} spellCheck={false} autoFocus onChange={(e) => set('id', e.target.value)} />}
        </Field>
      )}
      <Field label={w.name} problem={problem('name')}>
        {(p) => <input {...p} value={draft.name} disabled={readOnly} maxLength={200} onChange={(e) => set('name', e.target.value)} />}
      </Field>
      <ModelField draft={draft} onModel={(m) => set('model', m)} role={role} readOnly={readOnly} problem={problem('model')} />
      <Field label={w.systemPrompt} wide problem={problem('systemPrompt')}>
        {(p) => <textarea {...p} value={draft.systemPrompt} disabled={readOnly} rows={4} onChange={(e) => set('systemPrompt', e.target.value)} />}
      </Field>
      <Field label={w.healthCheckPrompt} wide>
        {(p) => <input {...p} value={draft.healthCheckPrompt} disabled={readOnly} onChange={(e) => set('healthCheckPrompt', e.target.value)} />}
      </Field>
      <details className="more wide">
        <summary>{w.more}</summary>
        <div className="role-fields">
          {Object.keys(executors).length > 0 && (
            <Field label={w.executor}>
              {(p) => (
                <select {...p} value={draft.executor} disabled={readOnly} onChange={(e) => set('executor', e.target.value)}>
                  <option value="">{w.executorDefault}</option>
                  {[...new Set([...Object.keys(executors), ...(draft.executor ? [draft.executor] : [])])].map((x) => (
                    <option key={x}>{x}</option>
                  ))}
                </select>
              )}
            </Field>
          )}
          <Field label={w.isolation}>
            {(p) => (
              <select {...p} value={draft.isolation} disabled={readOnly} onChange={(e) => set('isolation', e.target.value)}>
                <option value="none">{w.isolationNone}</option>
                <option value="worktree">{w.isolationWorktree}</option>
              </select>
            )}
          </Field>
          <Field label={w.timeout} hint={w.timeoutHint}>
            {(p) => <input {...p} type="number" min={1} step="any" inputMode="decimal" value={draft.timeout} disabled={readOnly} onChange={(e) => set('timeout', e.target.value)} />}
          </Field>
          <label className="checkbox">
            <input type="checkbox" checked={draft.readOnly} disabled={readOnly} onChange={(e) => set('readOnly', e.target.checked)} />
            <span>{w.readOnly}</span>
          </label>
          <Field label={w.tools} hint={w.toolsHint} wide>
            {(p) => <textarea {...p} className="mono" value={draft.tools} disabled={readOnly} rows={3} spellCheck={false} onChange={(e) => set('tools', e.target.value)} />}
          </Field>
        </div>
      </details>
    </div>
  )
}

interface FieldProps {
  id: string
  'aria-invalid'?: true
  'aria-describedby'?: string
}

function Field(props: { label: string; hint?: string; problem?: string; wide?: boolean; children(p: FieldProps): ReactNode }) {
  const id = useId()
  const note = props.problem ?? props.hint
  return (
    <div className={`field ${props.wide ? 'wide' : ''}`}>
      <label htmlFor={id}>{props.label}</label>
      {props.children({
        id,
        ...(props.problem ? { 'aria-invalid': true as const } : {}),
        ...(note ? { 'aria-describedby': `${id}-note` } : {}),
      })}
      {note && (
        <span id={`${id}-note`} className={props.problem ? 'field-problem' : 'field-hint'}>
          {note}
        </span>
      )}
    </div>
  )
}

/** The models that a role may choose from: those of its executor, or of the first. */
export function modelsFor(models: Readonly<Record<string, readonly Model[]>>, executor: string): readonly Model[] {
  return models[executor] ?? (executor ? [] : (Object.values(models)[0] ?? []))
}

function ModelField(props: { draft: Draft; onModel(m: string): void; role?: Role; readOnly: boolean; problem?: string }) {
  const { words } = useApp()
  const { draft, role } = props
  const models = useData((d) => modelsFor(d.models, draft.executor))
  const check = useModelCheck(role, draft.model)
  const known = models.some((m) => m.id === draft.model)
  const v = check.state?.modelValidation
  const invalid = v?.status === 'invalid'
  return (
    <div className="model-field">
      <Field label={words.roles.model} problem={props.problem}>
        {(p) => (
          <select {...p} value={draft.model} disabled={props.readOnly} onChange={(e) => props.onModel(e.target.value)}>
            {!known && (
              <option value={draft.model}>{draft.model ? (models.length > 0 ? `⚠ ${draft.model} (${words.roles.notOffered})` : draft.model) : '—'}</option>
            )}
            {models.map((m) => (
              <option key={m.id} value={m.id}>
                {m.name && m.name !== m.id ? `${m.name} — ${m.id}` : m.id}
              </option>
            ))}
          </select>
        )}
      </Field>
      <div className="model-verdict" role="status">
        {check.busy ? (
          <span className="muted">
            <Spinner size={11} /> {words.roles.validating}
          </span>
        ) : v?.status === 'valid' ? (
          <span className="good">
            <Icon name="check" size={13} /> {words.roles.valid}
          </span>
        ) : invalid ? (
          <span className="bad">
            <Icon name="warning" size={13} /> {v.message}
          </span>
        ) : null}
      </div>
      {invalid && !check.busy && <Suggestions state={check.state} label={words.roles.use} onModel={props.onModel} disabled={props.readOnly} />}
    </div>
  )
}

export function Suggestions(props: { state: RoleState | undefined; label(model: string): string; onModel(m: string): void; disabled: boolean }) {
  const { state, label, onModel, disabled } = props
  const v = state?.modelValidation
  const offered = [...new Set([...(v?.suggestion ? [v.suggestion] : []), ...(v?.availableModels ?? [])])].slice(0, 4)
  if (offered.length === 0) return null
  return (
    <div className="suggestions">
      {offered.map((m) => (
        <button key={m} type="button" className="chip" disabled={disabled} onClick={() => onModel(m)}>
          {label(m)}
        </button>
      ))}
    </div>
  )
}

/** What the server says of a model: what it has said of the role's own, or what it says when it is asked. */
function useModelCheck(role: Role | undefined, model: string): { busy: boolean; state: RoleState | undefined } {
  const { ask } = useApp()
  const open = usePhase().name === 'open'
  const writable = useData((d) => d.writable)
  const [checked, setChecked] = useState<{ model: string; state: RoleState | undefined }>()
  const id = role?.id
  const wanted = Boolean(role && open && writable && model && model !== role.model)
  useEffect(() => {
    if (!wanted) return
    let over = false
    setChecked(undefined)
    void ask('config:revalidate_model', { roleId: id, model }).then((answer) => {
      if (!over) setChecked({ model, state: answer?.data as RoleState | undefined })
    })
    return () => {
      over = true
    }
  }, [wanted, id, model, ask])
  if (!role) return { busy: false, state: undefined }
  if (!wanted) return { busy: role.state?.modelValidation.status === 'pending', state: role.state }
  return checked?.model === model ? { busy: false, state: checked.state } : { busy: true, state: undefined }
}
