// What is shown of the agents, and how it is kept up to date: by calls of the tools, through the host.

import { agentsOf, ended, merge } from './agents'
import type { Agent } from './agents'
import { HostError } from './host'
import type { Host } from './host'
import { items, members, number, string, strings } from './json'
import type { Members } from './json'
import { clean, line } from './text'

/** How many rows are shown at first, and more of at a time. */
export const page = 50

const bounds = {
  byStatus: 4, // agents that are asked for one by one
  detailed: 12, // rows of which more is shown than a list tells
  steps: 10, // pages of a list in a round
  agents: 1000, // that are kept
}

/** Times in ms. */
export const pace = { round: 2000, retry: 4000, most: 30_000, last: 3, failures: 6 }

type Scope = { kind: 'none' } | { kind: 'agents'; ids: string[] } | { kind: 'list'; args: Members }

export type Phase = 'starting' | 'live' | 'still' | 'away'

/** The tools that a host lets the card call, if it lets it call any. */
export const tools = { status: 'get_agent_status', list: 'list_agents', cancel: 'cancel_agent' } as const

const shown = ['run_agent', 'send_followup', 'wait_agent', tools.list, tools.status]

/** What stands before the names of the tools: a server in between may put something there. */
export function prefixOf(tool: string): string {
  const name = shown.find((n) => tool.endsWith(n))
  return name ? tool.slice(0, -name.length) : ''
}

/** A tool that was called and says no. */
class ToolFailure extends HostError {}

/** A round that looks at something that is not shown any more. */
class Stale extends Error {}

export interface Options {
  host: Host
  changed: () => void
  visible: () => boolean
  now?: () => number
}

export class Watch {
  readonly agents = new Map<string, Agent>()
  order: string[] = []
  phase: Phase = 'starting'
  text = '' // what a tool has said where nothing else can be shown
  problem = ''
  updated = 0
  callable = false // tools can be called
  private total = 0
  private want = page
  private scope: Scope = { kind: 'none' }
  private readonly open = new Set<string>()
  private readonly asked = new Map<string, number>() // when an agent was asked for last
  private prefix = ''
  private timer: ReturnType<typeof setTimeout> | undefined
  private due = 0
  private busy = false
  private again = false
  private quiet = 0
  private failures = 0
  private readonly now: () => number

  constructor(private readonly o: Options) {
    this.now = o.now ?? Date.now
  }

  /** The host is there. */
  begin(callable: boolean, tool: string): void {
    this.callable = callable
    this.prefix = prefixOf(tool)
    this.wake()
  }

  /** A tool is being called with these arguments. */
  input(v: unknown): void {
    const args = members(members(v)?.arguments)
    if (!args) return
    if (Array.isArray(args.agentIds)) this.follow(strings(args.agentIds, bounds.agents))
    else if (typeof args.agentId === 'string' && !('prompt' in args)) this.follow([args.agentId])
    else if (!('prompt' in args)) {
      const list: Members = {}
      for (const key of ['groupId', 'status']) if (typeof args[key] === 'string') list[key] = args[key]
      this.scope = { kind: 'list', args: list }
    }
    this.wake()
  }

  /** The tool has answered. */
  result(v: unknown): void {
    const result = members(v)
    if (!result) return
    this.text = items(result.content, 20)
      .map((c) => clean(members(c)?.text))
      .join('\n')
    if (result.isError === true) {
      this.problem = this.text
      this.scope = { kind: 'none' }
      this.settle('still')
      return
    }
    const answer = members(result.structuredContent)
    const ids = this.take(answer)
    if (answer && Array.isArray(answer.agents)) {
      if (this.scope.kind !== 'list') this.scope = { kind: 'list', args: {} }
      this.total = number(answer.total)
    } else if (ids.length > 0 && this.scope.kind === 'none') this.follow(ids)
    this.wake()
    if (this.phase === 'starting' && !this.watching()) this.settle('still')
    this.o.changed()
  }

  private follow(ids: string[]): void {
    const all = [...new Set(ids.map((id) => line(id, 200)))].filter(Boolean)
    this.scope = { kind: 'agents', ids: all }
    this.total = all.length
    this.quiet = 0
  }

  /** Rows that are shown, and how many are not. */
  rows(): { agents: Agent[]; more: number } {
    const ids = this.scope.kind === 'agents' ? this.scope.ids : this.order
    const agents = ids.slice(0, this.want).flatMap((id) => this.agents.get(id) ?? [])
    return { agents, more: Math.max(0, Math.max(this.total, ids.length) - Math.max(agents.length, Math.min(ids.length, this.want))) }
  }

  more(): void {
    this.want = Math.min(this.want + page, bounds.agents)
    this.refresh()
  }

  /** Everything about an agent is wanted, or not any more. */
  inspect(id: string, wanted: boolean): void {
    if (wanted) this.open.add(id)
    else this.open.delete(id)
    const a = this.agents.get(id)
    if (wanted && a && !a.full) this.refresh()
  }

  inspects = (id: string) => this.open.has(id)

  /** Looks now. */
  refresh(): void {
    this.quiet = this.failures = 0
    if (!this.watching()) {
      this.o.changed()
      return
    }
    this.phase = this.phase === 'starting' ? 'starting' : 'live'
    this.plan(0)
    this.o.changed()
  }

  async cancel(id: string): Promise<void> {
    await this.call(tools.cancel, { agentId: id })
    this.refresh()
  }

  /** The page may be seen again. */
  wake(): void {
    if (this.watching() && (this.phase === 'starting' || this.phase === 'live')) this.plan(Math.max(0, this.due - this.now()))
  }

  stop(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.callable = false
  }

  private watching = () => this.callable && this.scope.kind !== 'none'

  private plan(after: number): void {
    clearTimeout(this.timer)
    this.due = this.now() + after
    this.timer = setTimeout(() => void this.round(), after)
  }

  private async round(): Promise<void> {
    if (!this.watching() || !this.o.visible()) return // wake goes on
    if (this.busy) {
      this.again = true
      return
    }
    this.busy = true
    const { scope } = this
    try {
      const asked = await this.look(scope)
      this.failures = 0
      this.problem = ''
      this.updated = this.now()
      const over = [...this.agents.values()].every(ended) && this.vague().length === 0
      this.quiet = over ? this.quiet + 1 : 0
      // A result may be reported a moment after the end.
      if (this.quiet >= pace.last) this.settle('still')
      else {
        this.phase = 'live'
        this.plan(Math.min(pace.most, pace.round * Math.max(1, asked / 2) * 2 ** this.quiet))
      }
    } catch (e) {
      if (this.scope !== scope) {
        // A result that came meanwhile decides what is shown; this round looked at something else.
        this.again = this.watching()
        return
      }
      this.problem = e instanceof HostError ? line(e.message, 300) : 'error'
      this.failures++
      this.phase = 'away'
      if (this.failures < pace.failures) this.plan(Math.min(pace.most, pace.retry * 2 ** this.failures))
    } finally {
      this.busy = false
      if (this.again) {
        this.again = false
        this.plan(0)
      }
      this.o.changed()
    }
  }

  private settle(phase: Phase): void {
    clearTimeout(this.timer)
    this.phase = phase
    this.updated ||= this.now()
    this.o.changed()
  }

  /** One look at everything that is shown; it answers how many calls that took. */
  private async look(scope: Scope): Promise<number> {
    let calls = 0
    const wanted = new Set<string>()
    if (scope.kind === 'agents') {
      const open = scope.ids.filter((id) => !this.known(id))
      if (scope.ids.length > bounds.byStatus && open.length > 0) calls += await this.list(scope, {}, new Set(open))
      for (const id of scope.ids) if (wanted.size < bounds.byStatus && (scope.ids.length <= bounds.byStatus || !this.agents.has(id)) && !this.settled(id)) wanted.add(id)
    } else if (scope.kind === 'list') {
      calls += await this.list(scope, scope.args)
    }
    for (const id of [...this.vague().slice(0, bounds.byStatus), ...this.open]) if (wanted.size < 2 * bounds.byStatus && !this.settled(id)) wanted.add(id)
    for (const id of wanted) {
      this.asked.set(id, this.now())
      calls++
      try {
        this.take(await this.ask(scope, tools.status, { agentId: id }))
      } catch (e) {
        const a = this.agents.get(id)
        if (!a || !(e instanceof ToolFailure)) throw e
        this.agents.set(id, { ...a, full: true }) // one that is gone, of which no more is to be had
      }
    }
    return calls
  }

  /** Agents at the top of which a list has told too little, those first that were asked for longest ago. */
  private vague(): string[] {
    const ids = this.rows().agents.slice(0, bounds.detailed).flatMap((a) => (a.full || a.status === 'queued' ? [] : a.id))
    return ids.sort((a, b) => (this.asked.get(a) ?? 0) - (this.asked.get(b) ?? 0))
  }

  private known = (id: string) => {
    const a = this.agents.get(id)
    return a !== undefined && a.status === 'resultReported'
  }

  /** Nothing more will be heard of it. */
  private settled = (id: string) => this.known(id) && this.agents.get(id)!.full

  /** Reads a list, as far as rows of it are shown, or until some were found in it. It answers how many calls that took. */
  private async list(scope: Scope, args: Members, find?: Set<string>): Promise<number> {
    const seen: string[] = []
    let calls = 0
    for (let offset = 0; calls < bounds.steps; ) {
      const answer = await this.ask(scope, tools.list, { ...args, offset, limit: 200 })
      calls++
      const ids = this.take(answer, find)
      if (find) for (const id of ids) find.delete(id)
      else {
        seen.push(...ids)
        this.total = number(answer?.total)
      }
      const next = number(answer?.nextOffset)
      if (next <= offset || (find ? find.size === 0 : seen.length >= this.want)) break
      offset = next
    }
    if (!find) this.order = [...new Set([...seen, ...this.order])].slice(0, bounds.agents)
    return calls
  }

  /** Takes what an answer tells of agents, or of some of them. */
  private take(answer: unknown, only?: Set<string>): string[] {
    const ids: string[] = []
    for (const news of agentsOf(answer, this.now())) {
      const id = news.id!
      if (only && !only.has(id)) continue
      if (!this.agents.has(id) && this.agents.size >= bounds.agents) break
      this.agents.set(id, merge(this.agents.get(id), news))
      ids.push(id)
    }
    if (!only) this.order.push(...ids.filter((id) => !this.order.includes(id)))
    return ids
  }

  /** Calls a tool for a round, which ends if something else is to be shown meanwhile. */
  private async ask(scope: Scope, tool: string, args: object): Promise<Members | undefined> {
    const answer = await this.call(tool, args)
    if (this.scope !== scope) throw new Stale()
    return answer
  }

  private async call(tool: string, args: object): Promise<Members | undefined> {
    const result = members(await this.o.host.request('tools/call', { name: this.prefix + tool, arguments: args }))
    if (result?.isError === true) throw new ToolFailure(line(members(items(result.content, 1)[0])?.text, 300))
    const answer = members(result?.structuredContent)
    if (!answer) throw new HostError(`${tool}: ${string(result?.resultType) || 'no structured content'}`)
    return answer
  }
}
