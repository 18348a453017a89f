import type { Role, RoleFields } from '../wire/types'

/** A role as it is being edited: every field a text or a choice. */
export interface Draft {
  id: string
  name: string
  model: string
  systemPrompt: string
  healthCheckPrompt: string
  tools: string
  readOnly: boolean
  executor: string
  isolation: string
  timeout: string
}

export const blank: Draft = {
  id: '',
  name: '',
  model: '',
  systemPrompt: '',
  healthCheckPrompt: 'Hello, respond with exactly: OK',
  tools: '',
  readOnly: false,
  executor: '',
  isolation: 'none',
  timeout: '',
}

export function draftOf(r: RoleFields): Draft {
  return {
    id: r.id,
    name: r.name,
    model: r.model,
    systemPrompt: r.systemPrompt,
    healthCheckPrompt: r.healthCheckPrompt,
    tools: (r.tools ?? []).join('\n'),
    readOnly: r.readOnly ?? false,
    executor: r.executor ?? '',
    isolation: r.isolation || 'none',
    timeout: r.timeout_ms ? String(r.timeout_ms / 1000) : '',
  }
}

/** The role that a draft describes. What it leaves as it was, stays as the server wrote it. */
export function roleOf(d: Draft, old?: RoleFields): RoleFields {
  const seconds = Number(d.timeout)
  const role: RoleFields = {
    id: d.id.trim(),
    name: d.name,
    model: d.model,
    systemPrompt: d.systemPrompt,
    healthCheckPrompt: d.healthCheckPrompt,
    tools: d.tools.split('\n').map((t) => t.trim()).filter(Boolean),
  }
  if (d.readOnly) role.readOnly = true
  if (d.executor) role.executor = d.executor
  if (d.isolation !== 'none' || old?.isolation) role.isolation = d.isolation
  if (d.timeout.trim() && seconds > 0) role.timeout_ms = Math.round(seconds * 1000)
  return role
}

/** Only what a role consists of, without what is known of it. */
export function fieldsOf({ state: _, ...fields }: Role): RoleFields {
  return fields
}

export function sameDraft(a: Draft, b: Draft): boolean {
  return (Object.keys(a) as (keyof Draft)[]).every((k) => a[k] === b[k])
}

export type Problem = 'required' | 'badID' | 'takenID'

/** What is wrong with a draft, by field. */
export function problemsOf(d: Draft, taken?: readonly string[]): Partial<Record<keyof Draft, Problem>> {
  const problems: Partial<Record<keyof Draft, Problem>> = {}
  if (taken) {
    const id = d.id.trim()
    if (!id) problems.id = 'required'
    else if (!/^[a-z0-9][a-z0-9_-]*$/.test(id)) problems.id = 'badID'
    else if (taken.includes(id)) problems.id = 'takenID'
  }
  if (!d.name.trim()) problems.name = 'required'
  if (!d.model.trim()) problems.model = 'required'
  if (!d.systemPrompt.trim()) problems.systemPrompt = 'required'
  return problems
}
