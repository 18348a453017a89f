// What the tools say of agents, in one form.

import { items, members, number, string, strings } from './json'
import type { Members } from './json'
import { clean, line } from './text'

export interface Call {
  name: string
  subject: string
  done: boolean
  failed: boolean
}

export interface Result {
  status: string
  summary: string
  created: string[]
  edited: string[]
  deleted: string[]
  more: number // files that are not named
  branch: string
}

export interface Agent {
  id: string
  group: string
  role: string
  model: string
  status: string
  outcome: string
  stalled: boolean
  elapsed: number // ms, at the moment of `at`
  at: number
  calls: number
  said: string
  doing: string // what it does, where no more is known
  error: string
  waitsFor: number
  recent: Call[]
  result: Result | undefined
  tokens: [input: number, output: number] | undefined
  cost: number
  full: boolean // everything is known that get_agent_status tells
}

export type Tone = 'queued' | 'blocked' | 'running' | 'stalled' | 'completed' | 'failed' | 'timedOut' | 'cancelled'
export type StateWord = Tone | 'reported' | 'reportedFailure' | 'unknown'

/** How many agents and files are kept of an answer. */
const most = { agents: 1000, files: 40, calls: 6 }

const ends = ['completed', 'failed', 'timedOut', 'cancelled', 'resultReported']
const tones = ['queued', 'blocked', 'running', ...ends]

export const ended = (a: Agent) => ends.includes(a.status)
const failure = (a: Agent) => a.result?.status === 'failure'

export function toneOf(a: Agent): Tone {
  if (a.status === 'running') return a.stalled ? 'stalled' : 'running'
  if (!ended(a)) return a.status === 'blocked' ? 'blocked' : 'queued'
  const end = (a.status === 'resultReported' ? a.outcome || 'completed' : a.status) as Tone
  return end === 'completed' && failure(a) ? 'failed' : end
}

export function stateOf(a: Agent): StateWord {
  const tone = toneOf(a)
  if (!tones.includes(a.status)) return 'unknown'
  if (tone === 'failed' && failure(a) && (a.outcome || a.status) === 'completed') return 'reportedFailure'
  return tone === 'completed' && a.status === 'resultReported' ? 'reported' : tone
}

/** How long an agent has been running by now. */
export const elapsedAt = (a: Agent, now: number) => (a.status === 'running' ? a.elapsed + Math.max(0, now - a.at) : a.elapsed)

/** The agents of an answer of any of the tools, by what it looks like. */
export function agentsOf(structured: unknown, now: number): Partial<Agent>[] {
  const answer = members(structured)
  if (!answer) return []
  const lists = [answer.agents, answer.completed, answer.pending].flatMap((l) => items(l, most.agents))
  const all = lists.length > 0 ? lists : [answer]
  return all.flatMap((one) => {
    const m = members(one)
    return m && typeof m.agentId === 'string' && m.agentId ? [agentOf(m, now)] : []
  })
}

function agentOf(m: Members, now: number): Partial<Agent> {
  const a: Partial<Agent> = { id: line(m.agentId, 200), at: now }
  const status = line(m.status, 40)
  if (status) a.status = status
  // wait_agent tells of ends alone how they were.
  if (status) a.outcome = line(m.outcome, 40) || (['completed', 'failed', 'timedOut', 'cancelled'].includes(status) ? status : '')
  if ('groupId' in m) a.group = line(m.groupId)
  if ('role' in m) a.role = line(m.role, 80)
  if ('model' in m) a.model = line(m.modelName, 80) || line(m.model, 80)
  if ('elapsed_ms' in m || 'duration_ms' in m) a.elapsed = number(m.elapsed_ms) || number(m.duration_ms)
  if ('toolCallCount' in m) a.calls = number(m.toolCallCount)
  if (status) a.stalled = m.stalled === true
  if ('progress' in m) a.doing = line(m.progress, 300)
  if ('errorMessage' in m) a.error = clean(m.errorMessage, 2000)
  if (typeof m.summary === 'string' || typeof m.result === 'string') a.result = resultOf({ ...m, status: m.result })
  if ('recentToolCalls' in m) {
    a.full = true
    a.said = clean(m.lastAssistantMessage)
    const dir = string(m.workingDirectory)
    a.recent = items(m.recentToolCalls, 50)
      .slice(-most.calls)
      .flatMap((c) => callOf(c, dir))
    a.waitsFor = items(m.dependsOn, 1000).length
    a.result = members(m.result) ? { ...resultOf(members(m.result)!), more: number(m.moreFiles) + unkept(members(m.result)!) } : undefined
    const usage = members(m.usage)
    a.tokens = usage ? [number(usage.inputTokens), number(usage.outputTokens)] : undefined
    a.cost = number(usage?.costUSD)
  }
  return a
}

function resultOf(m: Members): Result {
  const files = (v: unknown) => strings(v, most.files).map((f) => line(f, 300))
  return {
    status: line(m.status, 40),
    summary: clean(m.summary),
    created: files(m.createdFiles),
    edited: files(m.editedFiles),
    deleted: files(m.deletedFiles),
    more: 0,
    branch: line(m.branch),
  }
}

/** How many files of a result are not kept. */
function unkept(m: Members): number {
  return [m.createdFiles, m.editedFiles, m.deletedFiles].reduce((n: number, v) => n + (Array.isArray(v) ? Math.max(0, v.length - most.files) : 0), 0)
}

function callOf(v: unknown, dir: string): Call[] {
  const m = members(v)
  if (!m) return []
  const subject = subjectOf(m.args)
  const inside = dir !== '' && subject.startsWith(`${dir}/`) ? subject.slice(dir.length + 1) : subject
  return [{ name: toolName(m), subject: inside, done: m.subtype === 'completed', failed: m.failed === true }]
}

/** The kind of tool without what all of them share: "readToolCall" is "read". */
function toolName(call: Members): string {
  const args = members(call.args)
  const name = string(call.name) || string(call.type).replace(/ToolCall$/, '')
  return line(/^mcp$/i.test(name) ? string(args?.toolName) || string(args?.name) || name : name, 60)
}

const telling = ['pattern', 'filePath', 'file', 'path', 'command', 'query', 'globPattern', 'glob', 'url', 'description', 'summary', 'name']

function subjectOf(args: unknown, depth = 0): string {
  const m = members(args)
  if (!m) return line(args)
  for (const key of telling) if (typeof m[key] === 'string' && m[key]) return line(m[key])
  return depth < 3 ? subjectOf(m.args ?? m.arguments ?? '', depth + 1) : ''
}

const unknown: Agent = {
  id: '',
  group: '',
  role: '',
  model: '',
  status: 'queued',
  outcome: '',
  stalled: false,
  elapsed: 0,
  at: 0,
  calls: 0,
  said: '',
  doing: '',
  error: '',
  waitsFor: 0,
  recent: [],
  result: undefined,
  tokens: undefined,
  cost: 0,
  full: false,
}

/** What is known of an agent after news of it. */
export function merge(old: Agent | undefined, news: Partial<Agent>): Agent {
  const a = { ...unknown, ...old, ...news }
  // A list says less of an agent than its status does; what has changed since is asked for again.
  if (old?.full && !news.full) a.full = old.status === a.status && old.calls === a.calls
  if (old && ended(old) && !ended(a)) return old // an answer that was overtaken
  return a
}
