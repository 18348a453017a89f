import { describe, expect, it } from 'vitest'
import { nothing, reduce, tally } from '../src/state/reduce'
import type { ToolCall } from '../src/wire/types'
import { agent, event, group, role, snapshot } from './data'

const call = (seq: number, more: Partial<ToolCall> = {}): ToolCall => ({ seq, callId: `c${seq}`, type: 'readToolCall', subtype: 'started', ...more })

describe('a snapshot', () => {
  it('is everything from then on', () => {
    const before = reduce(nothing, [snapshot({ groups: [group('old')], agents: [agent('a0', { groupId: 'old' })] })])
    const d = reduce(before, [snapshot({ agents: [agent('a1')] }, 20)])
    expect([...d.groups.keys()]).toEqual(['g1'])
    expect([...d.agents.keys()]).toEqual(['a1'])
    expect(d.members.get('g1')).toEqual(['a1'])
    expect(d.ready).toBe(true)
  })

  it('with null instead of lists is an empty one', () => {
    const d = reduce(nothing, [snapshot({ groups: null, agents: null, roles: null, models: null, health: null })])
    expect(d.groups.size).toBe(0)
    expect(d.roles).toEqual([])
  })

  it('has what was told before it', () => {
    const d = reduce(nothing, [snapshot({ agents: [agent('a1', { version: 5 })] }, 10), event('agent:status_update', agent('a1', { status: 'failed', version: 9 }), { seq: 10 })])
    expect(d.agents.get('a1')?.status).toBe('running')
  })
})

describe('an agent', () => {
  const start = reduce(nothing, [snapshot({ groups: [group('g1'), group('g2')], agents: [agent('a1'), agent('a2')] })])

  it('joins its group in the order of creation', () => {
    const d = reduce(start, [event('agent:created', agent('a0', { createdAt: '2026-01-01T00:00:00.5Z' })), event('agent:created', agent('a3', { groupId: 'nowhere' }))])
    expect(d.members.get('g1')).toEqual(['a1', 'a2', 'a0'])
    expect(d.members.get('')).toEqual(['a3'])
  })

  it('is never set back to an older version, in whatever order events come', () => {
    const d = reduce(start, [
      event('agent:completed', agent('a1', { status: 'completed', version: 7 }), { seq: 30 }),
      event('agent:status_update', agent('a1', { version: 6 }), { seq: 29 }),
    ])
    expect(d.agents.get('a1')?.status).toBe('completed')
  })

  it('leaves the others untouched, as objects too', () => {
    const d = reduce(start, [event('agent:status_update', agent('a1', { version: 2, lastAssistantMessage: 'hi' }))])
    expect(d.agents.get('a2')).toBe(start.agents.get('a2'))
    expect(d.members).toBe(start.members)
    expect(d.tallies.get('g1')).toBe(start.tallies.get('g1'))
    expect(start.agents.get('a1')?.lastAssistantMessage).toBeUndefined()
  })

  it('goes with its group, and does not come back', () => {
    const gone = reduce(start, [event('group:deleted', group('g1', { status: 'deleted' }))])
    expect(gone.agents.size).toBe(0)
    const d = reduce(gone, [event('agent:result_reported', agent('a1', { status: 'resultReported', version: 9 }))])
    expect(d.agents.size).toBe(0)
  })

  it('that is stalled says so until it is heard again', () => {
    let d = reduce(start, [event('agent:stalled', { agentId: 'a1', stalled: true, silent_ms: 30000 })])
    expect(d.agents.get('a1')?.stalled).toBe(true)
    d = reduce(d, [event('agent:stalled', { agentId: 'a1', stalled: false }, { agentId: 'a1' })])
    expect(d.agents.get('a1')?.stalled).toBe(false)
  })
})

describe('tool calls', () => {
  const start = reduce(nothing, [snapshot({ agents: [agent('a1')] })])

  it('count up at once and are replaced by their ends', () => {
    const d = reduce(start, [
      event('agent:tool_call', { agentId: 'a1', call: call(1, { args: { path: 'x' } }) }),
      event('agent:tool_call', { agentId: 'a1', call: call(2) }),
      event('agent:tool_call', { agentId: 'a1', call: call(1, { subtype: 'completed', failed: true }) }),
    ])
    expect(d.agents.get('a1')?.toolCallCount).toBe(2)
    expect(d.calls.get('a1')).toEqual([call(1, { subtype: 'completed', failed: true, args: { path: 'x' } }), call(2)])
  })

  it('never count down', () => {
    const d = reduce(start, [event('agent:tool_call', { agentId: 'a1', call: call(5) }), event('agent:status_update', agent('a1', { version: 2, toolCallCount: 4 }))])
    expect(d.agents.get('a1')?.toolCallCount).toBe(5)
  })

  it('are kept in a bounded number', () => {
    const d = reduce(start, Array.from({ length: 300 }, (_, i) => event('agent:tool_call', { agentId: 'a1', call: call(i + 1) })))
    expect(d.calls.get('a1')?.length).toBe(50)
    expect(d.calls.get('a1')?.at(-1)?.seq).toBe(300)
  })

  it('of strangers are nobody’s', () => {
    expect(reduce(start, [event('agent:tool_call', { agentId: 'who', call: call(1) })]).calls.has('who')).toBe(false)
  })
})

describe('the health check', () => {
  const pending = { available: false, healthCheck: { status: 'pending' as const }, modelValidation: { status: 'pending' as const } }
  const start = reduce(nothing, [snapshot({ roles: [role('a', { state: { id: 'a', ...pending } }), role('b', { state: { id: 'b', ...pending } })], health: { phase: 'models' } })])
  const valid = (id: string) => ({ id, available: false, healthCheck: { status: 'pending' }, modelValidation: { status: 'valid' } })

  it('goes through its steps', () => {
    let d = reduce(start, [event('healthcheck:model_validation', [valid('a'), valid('b')])])
    expect(d.health?.phase).toBe('roles')
    expect(d.roles.map((r) => r.state?.modelValidation.status)).toEqual(['valid', 'valid'])
    d = reduce(d, [event('healthcheck:role_start', { roleId: 'a', model: 'm1' })])
    expect(d.roles[0]?.state?.healthCheck.status).toBe('running')
    expect(d.checks.get('a')).toBe('2026-01-01T00:01:00Z')
    d = reduce(d, [event('healthcheck:role_complete', { ...valid('a'), available: true, healthCheck: { status: 'passed', responseTime_ms: 900 } })])
    expect(d.roles[0]?.state?.available).toBe(true)
    expect(d.roles[1]).toBe(d.roles[1])
    d = reduce(d, [event('healthcheck:complete', { total: 2, available: 1 })])
    expect(d.health).toMatchObject({ phase: 'done', total: 2, available: 1, finishedAt: '2026-01-01T00:01:00Z' })
  })

  it('takes the states of all roles in an object, too', () => {
    const d = reduce(start, [event('healthcheck:model_validation', { roles: [valid('a')] })])
    expect(d.roles[0]?.state?.modelValidation.status).toBe('valid')
  })

  it('begins anew when it is asked for', () => {
    const d = reduce(reduce(start, [event('healthcheck:complete', {})]), [event('healthcheck:begin', null, { seq: 0 })])
    expect(d.health?.phase).toBe('models')
  })
})

it('roles that change keep what is known of them', () => {
  const start = reduce(nothing, [snapshot()])
  const { state: _, ...bare } = role('impl-code', { name: 'New name' })
  const d = reduce(start, [event('config:updated', { roles: [bare, role('x')] })])
  expect(d.roles.map((r) => [r.name, r.state?.available])).toEqual([
    ['New name', true],
    ['Role x', true],
  ])
})

it.each([
  ['running', {}, 'running'],
  ['queued', {}, 'waiting'],
  ['blocked', {}, 'waiting'],
  ['completed', {}, 'done'],
  ['failed', {}, 'failed'],
  ['timedOut', {}, 'failed'],
  ['cancelled', {}, 'cancelled'],
  ['resultReported', { outcome: 'completed' }, 'done'],
  ['resultReported', { outcome: 'failed' }, 'failed'],
  ['resultReported', { outcome: 'cancelled' }, 'cancelled'],
] as const)('an agent that is %s %o counts as %s', (status, more, kind) => {
  expect(tally([agent('a', { status, ...more })])).toMatchObject({ total: 1, [kind]: 1 })
})

it('survives what makes no sense', () => {
  const d = reduce(nothing, [snapshot(), event('agent:created', null), event('group:created', {}), event('what:ever', { x: 1 }), event('config:updated', {}), event('agent:tool_call', { agentId: 'a' })])
  expect(d.ready).toBe(true)
})
