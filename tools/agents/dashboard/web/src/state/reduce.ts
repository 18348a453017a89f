import { ended } from '../wire/types'
import type { Agent, Group, Health, Model, Role, RoleState, Server, SnapshotMessage, ToolCall, WireEvent } from '../wire/types'

/** How many agents of a group are in which state. */
export interface Tally {
  total: number
  waiting: number
  running: number
  done: number
  failed: number
  cancelled: number
}

/** Everything that the server has told, never changed in place. */
export interface Data {
  /** Whether a snapshot has arrived at all. */
  ready: boolean
  /** The number of the last snapshot. */
  seq: number
  writable: boolean
  server: Server | null
  groups: ReadonlyMap<string, Group>
  /** Groups that were deleted since the snapshot. */
  gone: ReadonlySet<string>
  agents: ReadonlyMap<string, Agent>
  /** The calls of tools that were heard of, by agent, the oldest first. */
  calls: ReadonlyMap<string, readonly ToolCall[]>
  /** The agents of each group in the order of their creation; '' holds those of no group. */
  members: ReadonlyMap<string, readonly string[]>
  tallies: ReadonlyMap<string, Tally>
  /** When each running health check began, in the server's time. */
  checks: ReadonlyMap<string, string>
  roles: readonly Role[]
  models: Readonly<Record<string, readonly Model[]>>
  health: Health | null
}

export const nothing: Data = {
  ready: false,
  seq: 0,
  writable: false,
  server: null,
  groups: new Map(),
  gone: new Set(),
  agents: new Map(),
  calls: new Map(),
  members: new Map(),
  tallies: new Map(),
  checks: new Map(),
  roles: [],
  models: {},
  health: null,
}

const keptCalls = 50

export type Told = SnapshotMessage | WireEvent

/** What follows from a state and what was told since: all of it in one step. */
export function reduce(data: Data, told: readonly Told[]): Data {
  const draft = new Draft(data)
  for (const t of told) {
    if ('data' in t && t.type === 'snapshot') draft.snapshot(t as SnapshotMessage)
    else draft.event(t as WireEvent)
  }
  return draft.finish()
}

/** One step of reduce: maps are copied when they are first written to. */
class Draft {
  private data: Data
  private groups?: Map<string, Group>
  private agents?: Map<string, Agent>
  private calls?: Map<string, readonly ToolCall[]>
  private regroup = false
  private readonly dirty = new Set<string>()

  constructor(data: Data) {
    this.data = { ...data }
  }

  snapshot({ seq, data: s }: SnapshotMessage) {
    this.groups = new Map((s.groups ?? []).map((g) => [g.id, g]))
    const agents = new Map<string, Agent>()
    for (const a of s.agents ?? []) agents.set(a.agentId, a)
    this.agents = agents
    const calls = new Map<string, readonly ToolCall[]>()
    for (const [id, list] of this.data.calls) if (agents.has(id)) calls.set(id, list)
    for (const a of agents.values()) if (a.recentToolCalls) calls.set(a.agentId, a.recentToolCalls)
    this.calls = calls
    this.regroup = true
    this.data = {
      ...this.data,
      ready: true,
      seq,
      writable: s.writable,
      server: s.server,
      roles: s.roles ?? [],
      models: s.models ?? {},
      health: s.health,
      checks: new Map(),
      gone: new Set(),
    }
  }

  event(e: WireEvent) {
    // A snapshot has everything up to its number. After it, numbers need not grow: updates of one agent are told as one, in the place of the first.
    if (e.seq && e.seq <= this.data.seq) return
    const d = e.data as never
    switch (e.type) {
      case 'server:startup':
        this.data.server = { ...(this.data.server ?? { name: '', version: '' }), ...(d as object) }
        break
      case 'group:created':
        this.group(d)
        break
      case 'group:deleted':
        this.forget((d as Group).id || e.groupId || '')
        break
      case 'agent:created':
      case 'agent:status_update':
      case 'agent:completed':
      case 'agent:result_reported':
        this.agent(d)
        break
      case 'agent:tool_call':
        this.call(e.agentId ?? (d as { agentId: string }).agentId, (d as { call: ToolCall }).call)
        break
      case 'agent:stalled':
        this.change(e.agentId ?? (d as { agentId: string }).agentId, { stalled: (d as { stalled: boolean }).stalled })
        break
      case 'config:updated':
        this.config((d as { roles?: Role[] }).roles)
        break
      default:
        if (e.type.startsWith('healthcheck:')) this.healthcheck(e)
    }
  }

  finish(): Data {
    const { data } = this
    if (this.groups) data.groups = this.groups
    if (this.agents) data.agents = this.agents
    if (this.calls) data.calls = this.calls
    if (this.regroup) data.members = membersOf(data.groups, data.agents, data.members)
    if (this.regroup || this.dirty.size > 0) data.tallies = this.tallies()
    return data
  }

  private group(g: Group) {
    if (!g?.id) return
    this.groups ??= new Map(this.data.groups)
    this.groups.set(g.id, g)
    this.regroup = true
  }

  private forget(id: string) {
    this.groups ??= new Map(this.data.groups)
    if (!this.groups.delete(id)) return
    this.data.gone = new Set(this.data.gone).add(id)
    this.agents ??= new Map(this.data.agents)
    this.calls ??= new Map(this.data.calls)
    for (const a of this.agents.values()) {
      if (a.groupId !== id) continue
      this.agents.delete(a.agentId)
      this.calls.delete(a.agentId)
    }
    this.regroup = true
  }

  private agent(a: Agent) {
    if (!a?.agentId) return
    const known = (this.agents ?? this.data.agents).get(a.agentId)
    if (known && known.version > a.version) return
    // What was in a group that is gone belongs to the history.
    if (!known && this.data.gone.has(a.groupId)) return
    this.agents ??= new Map(this.data.agents)
    // Tool calls are counted as they come, which may be before the record says so.
    const toolCallCount = Math.max(a.toolCallCount ?? 0, known?.toolCallCount ?? 0)
    this.agents.set(a.agentId, { ...a, toolCallCount })
    if (!known) this.regroup = true
    this.dirty.add(this.home(a))
  }

  private change(id: string, by: Partial<Agent>) {
    const known = (this.agents ?? this.data.agents).get(id)
    if (!known) return
    this.agents ??= new Map(this.data.agents)
    this.agents.set(id, { ...known, ...by })
  }

  private call(id: string, call: ToolCall | undefined) {
    const known = (this.agents ?? this.data.agents).get(id)
    if (!known || !call) return
    this.calls ??= new Map(this.data.calls)
    this.calls.set(id, withCall(this.calls.get(id) ?? [], call))
    if (call.seq > known.toolCallCount) this.change(id, { toolCallCount: call.seq })
  }

  private config(roles: Role[] | undefined) {
    if (!roles) return
    const states = new Map(this.data.roles.map((r) => [r.id, r.state]))
    this.data.roles = roles.map((r) => {
      const state = r.state ?? states.get(r.id)
      return state ? { ...r, state } : r
    })
  }

  private healthcheck(e: WireEvent) {
    switch (e.type) {
      // Of our own: the checks were asked for again.
      case 'healthcheck:begin':
        this.data.health = { phase: 'models', startedAt: e.at }
        this.data.checks = new Map()
        for (const { state } of this.data.roles) {
          if (state) this.state({ ...state, healthCheck: { status: 'pending' }, modelValidation: { status: 'pending' } })
        }
        break
      case 'healthcheck:model_validation': {
        const d = e.data as RoleState[] | { roles?: RoleState[]; models?: Data['models'] } | null
        const states = Array.isArray(d) ? d : (d?.roles ?? [])
        for (const s of states) this.state(s)
        if (d && !Array.isArray(d) && d.models) this.data.models = d.models
        this.data.health = { ...this.data.health, phase: 'roles' }
        break
      }
      case 'healthcheck:role_start': {
        const { roleId } = e.data as { roleId: string }
        const role = this.data.roles.find((r) => r.id === roleId)
        this.data.checks = new Map(this.data.checks).set(roleId, e.at)
        if (role?.state) this.state({ ...role.state, healthCheck: { status: 'running' } })
        if (this.data.health?.phase !== 'done') this.data.health = { ...this.data.health, phase: 'roles' }
        break
      }
      case 'healthcheck:role_complete':
        this.state(e.data as RoleState)
        break
      case 'healthcheck:complete':
        this.data.health = { ...this.data.health, ...(e.data as object), phase: 'done', finishedAt: e.at }
    }
  }

  private state(s: RoleState) {
    const id = s?.id ?? (s as unknown as { roleId?: string })?.roleId
    this.data.roles = this.data.roles.map((r) => (r.id === id ? { ...r, state: { ...r.state, ...s, id } } : r))
  }

  private home(a: Agent): string {
    return (this.groups ?? this.data.groups).has(a.groupId) ? a.groupId : ''
  }

  private tallies(): Map<string, Tally> {
    const { members, agents } = this.data
    const tallies = new Map<string, Tally>()
    for (const [id, ids] of members) {
      const old = this.data.tallies.get(id)
      if (old && !this.regroup && !this.dirty.has(id)) {
        tallies.set(id, old)
        continue
      }
      const fresh = tally(ids.map((a) => agents.get(a)))
      tallies.set(id, old && same(old, fresh) ? old : fresh)
    }
    return tallies
  }
}

function withCall(list: readonly ToolCall[], call: ToolCall): readonly ToolCall[] {
  const at = list.findIndex((c) => c.seq === call.seq)
  if (at < 0) return [...list, call].slice(-keptCalls)
  const next = list.slice()
  next[at] = { ...list[at], ...call, args: call.args ?? list[at]?.args }
  return next
}

function membersOf(
  groups: ReadonlyMap<string, Group>,
  agents: ReadonlyMap<string, Agent>,
  old: ReadonlyMap<string, readonly string[]>,
): Map<string, readonly string[]> {
  const fresh = new Map<string, string[]>()
  for (const id of groups.keys()) fresh.set(id, [])
  // The server tells of agents, as of groups, in the order in which they were made; a map keeps it.
  for (const a of agents.values()) {
    const home = groups.has(a.groupId) ? a.groupId : ''
    const list = fresh.get(home)
    if (list) list.push(a.agentId)
    else fresh.set(home, [a.agentId])
  }
  const members = new Map<string, readonly string[]>()
  for (const [id, ids] of fresh) {
    const was = old.get(id)
    members.set(id, was && was.length === ids.length && was.every((a, i) => a === ids[i]) ? was : ids)
  }
  return members
}

/** Counts agents by what they are to people: a report does not hide how an agent has ended. */
export function tally(agents: readonly (Agent | undefined)[]): Tally {
  const t: Tally = { total: 0, waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 }
  for (const a of agents) {
    if (!a) continue
    t.total++
    if (!ended(a.status)) {
      if (a.status === 'running') t.running++
      else t.waiting++
      continue
    }
    const end = a.status === 'resultReported' ? (a.outcome ?? 'completed') : a.status
    if (end === 'cancelled') t.cancelled++
    else if (end === 'completed' && a.result?.status !== 'failure') t.done++
    else t.failed++
  }
  return t
}

function same(a: Tally, b: Tally): boolean {
  return (Object.keys(a) as (keyof Tally)[]).every((k) => a[k] === b[k])
}
