import type { Agent, Group, Role, SnapshotMessage, WireEvent } from '../src/wire/types'

/** Records with just what a test says of them. */
export const agent = (id: string, more: Partial<Agent> = {}): Agent => ({
  agentId: id,
  groupId: 'g1',
  role: 'impl-code',
  model: 'm1',
  status: 'running',
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: '2026-01-01T00:00:01Z',
  toolCallCount: 0,
  version: 1,
  ...more,
})

export const group = (id: string, more: Partial<Group> = {}): Group => ({
  id,
  description: `group ${id}`,
  status: 'active',
  createdAt: '2026-01-01T00:00:00Z',
  agentIds: [],
  ...more,
})

export const role = (id: string, more: Partial<Role> = {}): Role => ({
  id,
  name: `Role ${id}`,
  model: 'm1',
  systemPrompt: 'do it',
  healthCheckPrompt: 'OK?',
  tools: [],
  state: { id, available: true, healthCheck: { status: 'passed', responseTime_ms: 800 }, modelValidation: { status: 'valid' } },
  ...more,
})

export const snapshot = (data: Partial<SnapshotMessage['data']> = {}, seq = 10): SnapshotMessage => ({
  type: 'snapshot',
  seq,
  data: {
    server: { name: 'kuromajutsu', version: '1', maxConcurrent: 10 },
    writable: true,
    groups: [group('g1')],
    agents: [],
    roles: [role('impl-code')],
    models: { cursor: [{ id: 'm1', name: 'Model One' }, { id: 'm2', name: 'Model Two' }] },
    health: { phase: 'done', total: 1, available: 1 },
    ...data,
  },
})

let seq = 100
export const event = (type: string, data: unknown, more: Partial<WireEvent> = {}): WireEvent => ({ seq: ++seq, type, at: '2026-01-01T00:01:00Z', data, ...more })
