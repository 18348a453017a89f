// What the server sends: the JSON of its records, field by field.

export type Status =
  | 'queued'
  | 'blocked'
  | 'running'
  | 'completed'
  | 'failed'
  | 'timedOut'
  | 'cancelled'
  | 'resultReported'

export type Verdict = 'success' | 'failure' | 'timeout' | 'cancelled'

export interface ToolCall {
  seq: number
  callId: string
  type: string
  /** The tool of an MCP server, if it is one. */
  name?: string
  subtype: 'started' | 'completed' | string
  failed?: boolean
  args?: unknown
  startedAt?: string
  endedAt?: string
}

export interface Usage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  costUSD?: number
  estimated?: boolean
}

export interface Change {
  path: string
  kind: 'created' | 'edited' | 'deleted' | string
  sources: string[]
  uncertain?: boolean
}

export interface Report {
  status: Verdict
  summary: string
  editedFiles?: string[]
  createdFiles?: string[]
  errorMessage?: string
  at: string
  via: string
}

export interface Result {
  status: Verdict
  statusSource: string
  summary: string
  summarySource: string
  editedFiles?: string[] | null
  createdFiles?: string[] | null
  deletedFiles?: string[] | null
  changes?: Change[]
  duration_ms: number
  toolCallCount: number
  errorMessage?: string
  rawOutput?: string
  worktree?: string
  branch?: string
  timestamp: string
}

export interface Agent {
  agentId: string
  groupId: string
  role: string
  executor?: string
  model: string
  modelName?: string
  status: Status
  outcome?: Status
  stalled?: boolean
  prompt?: string
  workingDirectory?: string
  isolation?: string
  readOnly?: boolean
  contextFiles?: string[]
  dependsOn?: string[]
  parent?: string
  depth?: number
  follows?: string
  /** Where it runs if that is elsewhere, and how many times it was begun there. */
  runner?: string
  attempt?: number
  /** It has failed because nothing was heard of it any more. */
  lost?: boolean
  createdAt: string
  startedAt?: string
  endedAt?: string
  sessionId?: string
  toolCallCount: number
  lastAssistantMessage?: string
  recentToolCalls?: ToolCall[]
  usage?: Usage
  error?: string
  report?: Report
  result?: Result
  version: number
}

export interface Group {
  id: string
  description: string
  status: 'active' | 'deleted'
  createdAt: string
  deletedAt?: string
  agentIds: string[] | null
}

export interface HealthCheck {
  status: 'passed' | 'failed' | 'skipped' | 'pending' | 'running'
  reason?: string
  checkedAt?: string
  responseTime_ms?: number
}

export interface ModelValidation {
  status: 'valid' | 'invalid' | 'pending'
  message?: string
  checkedAt?: string
  availableModels?: string[]
  suggestion?: string
}

export interface RoleState {
  id: string
  name?: string
  model?: string
  available: boolean
  /** The model that is used instead of one that is not there. */
  fallbackModel?: string
  healthCheck: HealthCheck
  modelValidation: ModelValidation
}

export interface RoleFields {
  id: string
  name: string
  model: string
  systemPrompt: string
  healthCheckPrompt: string
  tools?: string[] | null
  readOnly?: boolean
  executor?: string
  isolation?: string
  timeout_ms?: number
}

export interface Role extends RoleFields {
  state?: RoleState
}

export interface Model {
  id: string
  name: string
  default?: boolean
  current?: boolean
}

export interface Health {
  phase: 'models' | 'roles' | 'done'
  startedAt?: string
  finishedAt?: string
  total?: number
  available?: number
}

export interface Server {
  name: string
  version: string
  startedAt?: string
  url?: string
  maxConcurrent?: number
  language?: string
  /** The server's clock when it said this. */
  now?: string
}

export interface Snapshot {
  server: Server
  writable: boolean
  groups: Group[] | null
  agents: Agent[] | null
  roles: Role[] | null
  models: Record<string, Model[]> | null
  health: Health | null
}

export interface WireEvent {
  seq: number
  type: string
  at: string
  agentId?: string
  groupId?: string
  data: unknown
}

export interface SnapshotMessage {
  type: 'snapshot'
  seq: number
  data: Snapshot
}

export interface WireError {
  code: string
  message: string
  next?: string
}

export interface Reply {
  type: 'reply'
  id: number
  ok: boolean
  data?: unknown
  error?: WireError
}

export interface Output {
  text: string
  offset: number
  next: number
  size: number
  dropped: number
}

export interface HistoryPage {
  agents: Agent[] | null
  groups: Group[] | null
  total: number
}

const ends: ReadonlySet<Status> = new Set(['completed', 'failed', 'timedOut', 'cancelled', 'resultReported'])

/** Whether an agent in this state does nothing any more. */
export function ended(s: Status): boolean {
  return ends.has(s)
}
