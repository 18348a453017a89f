import { describe, expect, it } from 'vitest'
import { agentsOf, elapsedAt, merge, stateOf, toneOf } from '../src/agents'
import type { Agent } from '../src/agents'

const agent = (news: Partial<Agent>) => merge(undefined, { id: 'a', ...news })

describe('what tools answer', () => {
  it.each([
    ['run_agent', { agentId: 'a', groupId: 'g', role: 'r', model: 'm', status: 'queued' }, [{ id: 'a', group: 'g', role: 'r', model: 'm', status: 'queued', outcome: '' }]],
    ['list_agents', { agents: [{ agentId: 'a', status: 'running', stalled: true, elapsed_ms: 5, toolCallCount: 2 }], total: 1 }, [{ id: 'a', status: 'running', stalled: true, elapsed: 5, calls: 2 }]],
    [
      'wait_agent',
      { completed: [{ agentId: 'a', status: 'failed', duration_ms: 9, errorMessage: 'no', result: 'failure', summary: 's', createdFiles: ['f'] }], pending: [{ agentId: 'b', status: 'running', progress: 'reads' }] },
      [
        { id: 'a', status: 'failed', outcome: 'failed', elapsed: 9, error: 'no' },
        { id: 'b', status: 'running', doing: 'reads' },
      ],
    ],
    [
      'get_agent_status',
      {
        agentId: 'a', status: 'resultReported', outcome: 'completed', modelName: 'M', model: 'm', workingDirectory: '/p', lastAssistantMessage: 'x', dependsOn: ['b'],
        recentToolCalls: [{ type: 'readToolCall', subtype: 'completed', args: { path: '/p/a.go' } }, { type: 'mcpToolCall', args: { toolName: 't', args: { query: 'q' } } }, 5],
        result: { status: 'success', summary: 's', editedFiles: ['e', 5] }, moreFiles: 3, usage: { inputTokens: 10, outputTokens: 'x', costUSD: 0.5 },
      },
      [{ id: 'a', model: 'M', full: true, waitsFor: 1, tokens: [10, 0], cost: 0.5 }],
    ],
  ])('%s', (_, answer, want) => {
    expect(agentsOf(answer, 1)).toMatchObject(want)
  })

  it('is taken apart', () => {
    const [a] = agentsOf({ agentId: 'a', status: 'running', workingDirectory: '/p', recentToolCalls: [{ type: 'readToolCall', args: { path: '/p/a.go' } }, { type: 'mcpToolCall', args: { toolName: 't', args: { query: 'q' } } }] }, 1)
    expect(a!.recent).toMatchObject([{ name: 'read', subject: 'a.go' }, { name: 't', subject: 'q' }])
  })

  it.each([[undefined], [null], [5], [[]], [{}], [{ agents: [5, null, {}, { agentId: '' }, { agentId: {} }] }], [{ agentId: ['a'] }]])('%j is nothing', (answer) => {
    expect(agentsOf(answer, 1)).toEqual([])
  })

  it('never nests without end, and is never more than can be shown', () => {
    let args: object = {}
    for (let i = 0; i < 10_000; i++) args = { args }
    const calls = Array(10_000).fill({ type: 't', args })
    const [a] = agentsOf({ agentId: 'a', recentToolCalls: calls, result: { summary: 'x'.repeat(1e6), createdFiles: Array(1e5).fill('f') } }, 1)
    expect(a!.recent!.length).toBeLessThan(10)
    expect(a!.result!.created.length).toBeLessThan(100)
    expect(a!.result!.summary.length).toBeLessThan(5000)
    expect(agentsOf({ agents: Array(5000).fill({ agentId: 'a' }) }, 1)).toHaveLength(1000)
  })
})

describe('states', () => {
  it.each([
    [{ status: 'queued' }, 'queued', 'queued'],
    [{ status: 'running', stalled: true }, 'stalled', 'stalled'],
    [{ status: 'completed', outcome: 'completed' }, 'completed', 'completed'],
    [{ status: 'resultReported', outcome: 'completed' }, 'completed', 'reported'],
    [{ status: 'resultReported', outcome: 'timedOut' }, 'timedOut', 'timedOut'],
    [{ status: 'resultReported', outcome: 'completed', result: { status: 'failure' } as Agent['result'] }, 'failed', 'reportedFailure'],
    [{ status: 'dancing' }, 'queued', 'unknown'],
  ] as const)('%j is %s, %s', (news, tone, state) => {
    expect([toneOf(agent(news)), stateOf(agent(news))]).toEqual([tone, state])
  })

  it('an end stays one, whatever comes late', () => {
    expect(merge(agent({ status: 'completed' }), { id: 'a', status: 'running' }).status).toBe('completed')
  })

  it('a list does not undo what is known of an agent, but for what has changed', () => {
    const known = agent({ status: 'running', calls: 3, said: 'x', full: true })
    expect(merge(known, { id: 'a', status: 'running', calls: 3 })).toMatchObject({ said: 'x', full: true })
    expect(merge(known, { id: 'a', status: 'running', calls: 4 })).toMatchObject({ said: 'x', full: false })
  })

  it('time goes on for who runs', () => {
    expect(elapsedAt(agent({ status: 'running', elapsed: 1000, at: 50 }), 550)).toBe(1500)
    expect(elapsedAt(agent({ status: 'completed', elapsed: 1000, at: 50 }), 550)).toBe(1000)
  })
})
