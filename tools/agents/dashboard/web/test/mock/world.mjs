// What a server knows, and how it changes: records as the wire has them.

const over = new Set(['completed', 'failed', 'timedOut', 'cancelled', 'resultReported'])

class Refusal extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

export class World {
  constructor(scene) {
    this.seq = 100
    this.server = { name: 'kuromajutsu', version: '0.1.0', startedAt: ago(3600), url: '', maxConcurrent: 10, language: '', ...scene.server }
    const made = (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt)
    this.groups = new Map(scene.groups.toSorted(made).map((g) => [g.id, g]))
    this.agents = new Map(scene.agents.toSorted(made).map((a) => [a.agentId, a]))
    this.roles = scene.roles
    this.models = scene.models
    this.health = scene.health
    this.texts = scene.texts ?? {}
    this.tell = () => undefined
    this.timers = []
  }

  stop() {
    for (const t of this.timers) clearInterval(t)
  }

  every(ms, step) {
    this.timers.push(setInterval(step, ms))
  }

  snapshot(writable) {
    const groups = [...this.groups.values()].filter((g) => g.status === 'active')
    const active = new Set(groups.map((g) => g.id))
    const agents = [...this.agents.values()].filter((a) => active.has(a.groupId) || (!over.has(a.status) && !active.has(a.groupId)))
    const server = { ...this.server, now: new Date().toISOString() }
    return { type: 'snapshot', seq: this.seq, data: { server, writable, groups, agents: agents.map(brief), roles: this.roles, models: this.models, health: this.health } }
  }

  emit(type, data, more = {}) {
    this.tell([{ seq: ++this.seq, type, at: new Date().toISOString(), ...more, data }])
  }

  update(id, change, type = 'agent:status_update') {
    const a = this.agents.get(id)
    if (!a) return
    Object.assign(a, typeof change === 'function' ? change(a) : change)
    a.version++
    this.emit(type, brief(a), { agentId: id, groupId: a.groupId })
  }

  call(id, type, args, subtype = 'started', failed) {
    const a = this.agents.get(id)
    a.recentToolCalls ??= []
    let call = a.recentToolCalls.at(-1)
    if (subtype === 'started') {
      a.toolCallCount++
      call = { seq: a.toolCallCount, callId: `call-${a.toolCallCount}`, type, subtype, args, startedAt: new Date().toISOString() }
      a.recentToolCalls = [...a.recentToolCalls, call].slice(-50)
    } else if (call) {
      Object.assign(call, { subtype, failed, endedAt: new Date().toISOString() })
    }
    if (call) this.emit('agent:tool_call', { agentId: id, call: { ...call } }, { agentId: id, groupId: a.groupId })
  }

  addGroup(g) {
    this.groups.set(g.id, g)
    this.emit('group:created', g, { groupId: g.id })
  }

  addAgent(a) {
    this.agents.set(a.agentId, a)
    this.groups.get(a.groupId)?.agentIds.push(a.agentId)
    this.emit('agent:created', brief(a), { agentId: a.agentId, groupId: a.groupId })
  }

  end(id, outcome, result, error) {
    this.update(
      id,
      (a) => ({
        status: outcome,
        outcome,
        endedAt: new Date().toISOString(),
        error,
        result: { status: outcome === 'completed' ? 'success' : 'failure', statusSource: 'stream', summarySource: 'stream', editedFiles: [], createdFiles: [], duration_ms: 1000, toolCallCount: a.toolCallCount, timestamp: new Date().toISOString(), ...result },
      }),
      'agent:completed',
    )
  }

  request(m) {
    switch (m.type) {
      case 'agent:cancel': {
        const a = this.agents.get(m.agentId)
        if (!a) throw new Refusal('UNKNOWN_AGENT', 'there is no such agent')
        this.end(m.agentId, 'cancelled', { status: 'cancelled', summary: m.reason || 'cancelled from the dashboard' })
        return null
      }
      case 'group:delete': {
        const g = this.groups.get(m.groupId)
        if (!g) throw new Refusal('UNKNOWN_GROUP', 'there is no such group')
        g.status = 'deleted'
        this.emit('group:deleted', g, { groupId: g.id })
        return null
      }
      case 'config:update_role': {
        const at = this.roles.findIndex((r) => r.id === m.role.id)
        if (at < 0) throw new Refusal('UNKNOWN_ROLE', 'there is no such role')
        const { state, ...now } = this.roles[at]
        if (now.systemPrompt !== m.old.systemPrompt || now.model !== m.old.model || now.name !== m.old.name) throw new Refusal('CONFLICT', 'the role was changed meanwhile')
        this.roles[at] = { ...m.role, state: this.judge(m.role, m.role.model, state) }
        this.emit('config:updated', { roles: this.roles })
        return null
      }
      case 'config:create_role':
        this.roles = [...this.roles, { ...m.role, state: this.judge(m.role, m.role.model) }]
        this.emit('config:updated', { roles: this.roles })
        return null
      case 'config:delete_role':
        this.roles = this.roles.filter((r) => r.id !== m.roleId)
        this.emit('config:updated', { roles: this.roles })
        return null
      case 'config:revalidate_model': {
        const r = this.roles.find((o) => o.id === m.roleId)
        return this.judge(r, m.model, r.state)
      }
      case 'health:run':
        this.runHealth()
        return null
    }
    throw new Refusal('INVALID_PARAMS', `the type ${m.type} is not known`)
  }

  /** What the checks say of a role with a model. */
  judge(role, model, state) {
    const ids = Object.values(this.models).flat().map((m) => m.id)
    const at = new Date().toISOString()
    const base = { id: role.id, name: role.name, model }
    if (ids.includes(model)) {
      const healthCheck = state?.healthCheck.status === 'passed' ? state.healthCheck : { status: 'passed', checkedAt: at, responseTime_ms: 900 }
      return { ...base, available: true, healthCheck, modelValidation: { status: 'valid', checkedAt: at } }
    }
    return {
      ...base,
      available: false,
      healthCheck: { status: 'skipped', reason: 'モデル検証に失敗したためスキップ' },
      modelValidation: { status: 'invalid', message: `モデル '${model}' は利用できません`, checkedAt: at, availableModels: ids.slice(0, 4), suggestion: ids[0] },
    }
  }

  /** The checks from the beginning, in steps of step ms. */
  runHealth(step = 700) {
    const states = this.roles.map((r) => this.judge(r, r.model))
    const pending = (s) => (s.available ? { ...s, available: false, healthCheck: { status: 'pending' } } : s)
    const steps = [() => this.emit('healthcheck:model_validation', states.map(pending))]
    states.forEach((s) => {
      if (!s.available) return
      steps.push(() => this.emit('healthcheck:role_start', { roleId: s.id, model: s.model }))
      steps.push(() => {
        this.roles = this.roles.map((r) => (r.id === s.id ? { ...r, state: s } : r))
        this.emit('healthcheck:role_complete', s)
      })
    })
    steps.push(() => {
      this.health = { ...this.health, phase: 'done', total: states.length, available: states.filter((s) => s.available).length, finishedAt: new Date().toISOString() }
      this.emit('healthcheck:complete', { total: this.health.total, available: this.health.available })
    })
    const timer = setInterval(() => {
      steps.shift()?.()
      if (steps.length === 0) clearInterval(timer)
    }, step)
    this.timers.push(timer)
  }

  history(q) {
    const text = (q.get('text') ?? '').toLowerCase()
    const has = (a) => [a.agentId, a.prompt, a.result?.summary].some((s) => (s ?? '').toLowerCase().includes(text))
    const all = [...this.agents.values()]
      .filter((a) => (!q.get('group') || a.groupId === q.get('group')) && (!q.get('role') || a.role === q.get('role')))
      .filter((a) => !q.get('status') || a.status === q.get('status') || a.outcome === q.get('status'))
      .filter((a) => (!text || has(a)) && (!q.get('since') || a.createdAt >= q.get('since')) && (!q.get('until') || a.createdAt < q.get('until')))
      .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    const offset = Number(q.get('offset') ?? 0)
    const agents = all.slice(offset, offset + Number(q.get('limit') || 50)).map(brief)
    const mentioned = new Set(agents.map((a) => a.groupId))
    return { agents, groups: [...this.groups.values()].filter((g) => mentioned.has(g.id)), total: all.length }
  }

  output(agent, q) {
    const all = Buffer.from(this.texts[q.get('kind')]?.(agent) ?? '')
    const wanted = Number(q.get('offset') ?? 0)
    const offset = wanted < 0 ? Math.max(0, all.length + wanted) : Math.min(wanted, all.length)
    const part = all.subarray(offset, offset + Number(q.get('length') || 65536))
    return { text: part.toString(), offset, next: offset + part.length, size: all.length, dropped: 0 }
  }
}

export function ago(seconds) {
  return new Date(Date.now() - seconds * 1000).toISOString()
}

function brief({ prompt, recentToolCalls, contextFiles, ...a }) {
  if (!a.result) return a
  const { rawOutput, changes, ...result } = a.result
  return { ...a, result }
}
