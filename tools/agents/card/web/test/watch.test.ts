import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HostError } from '../src/host'
import type { Members } from '../src/json'
import { Watch, pace, page, prefixOf } from '../src/watch'

type Args = { offset?: number; limit?: number; agentId?: string; groupId?: string }
type Answers = Record<string, (args: Args) => Members>

let calls: [tool: string, args: Args][]
let answers: Answers
let seen: boolean

beforeEach(() => {
  vi.useFakeTimers()
  calls = []
  seen = true
})

afterEach(() => void vi.useRealTimers())

function watch(tool = 'list_agents'): Watch {
  const host = {
    async request(method: string, params: object) {
      expect(method).toBe('tools/call')
      const { name, arguments: args } = params as { name: string; arguments: Args }
      calls.push([name, args])
      const answer = answers[name]
      if (!answer) throw new HostError(`${name} is not for pages`)
      return { content: [], structuredContent: answer(args) }
    },
    notify() {},
  }
  const w = new Watch({ host, changed: () => {}, visible: () => seen })
  w.begin(true, tool)
  return w
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const status = (id: string, more: object = {}) => ({ agentId: id, groupId: 'g', role: 'r', model: 'm', status: 'running', elapsed_ms: 5, toolCallCount: 0, recentToolCalls: [], lastAssistantMessage: '', result: null, ...more })
const listed = (n: number, of: number, each: (i: number) => object = () => ({})) => ({ offset = 0, limit = 50 }: Args) => {
  const to = Math.min(offset + Math.min(n, limit), of)
  const agents = Array.from({ length: Math.max(0, to - offset) }, (_, i) => ({ agentId: `a${offset + i}`, groupId: 'g', role: 'r', model: 'm', status: 'running', elapsed_ms: 5, toolCallCount: 0, ...each(offset + i) }))
  return { agents, total: of, ...(to < of && { nextOffset: to }) }
}

describe('one agent', () => {
  it('is followed to its end, and a little longer', async () => {
    let state = { status: 'queued' }
    answers = { get_agent_status: ({ agentId }) => status(agentId!, state) }
    const w = watch('run_agent')
    w.input({ arguments: { groupId: 'g', role: 'r', prompt: 'p' } })
    await pass(10_000)
    expect(calls).toEqual([])
    w.result({ content: [], structuredContent: { agentId: 'a', groupId: 'g', role: 'r', model: 'm', status: 'queued' } })
    await pass(0)
    state = { status: 'running' }
    await pass(pace.round)
    expect(w.rows().agents).toMatchObject([{ id: 'a', status: 'running' }])
    expect(w.phase).toBe('live')
    state = { status: 'completed' }
    await pass(20 * pace.round)
    expect([w.phase, w.rows().agents[0]!.status]).toEqual(['still', 'completed'])
    const n = calls.length
    await pass(1e6)
    expect(calls.length).toBe(n)
  })

  it('costs nothing while nobody looks', async () => {
    answers = { get_agent_status: ({ agentId }) => status(agentId!) }
    const w = watch('get_agent_status')
    w.input({ arguments: { agentId: 'a' } })
    await pass(10 * pace.round)
    seen = false
    await pass(pace.round)
    const n = calls.length
    await pass(1e6)
    expect(calls.length).toBe(n)
    seen = true
    w.wake()
    await pass(1)
    expect(calls.length).toBe(n + 1)
    w.stop()
    await pass(1e6)
    expect(calls.length).toBe(n + 1)
  })

  it('is cancelled', async () => {
    answers = { get_agent_status: ({ agentId }) => status(agentId!), cancel_agent: () => ({ cancelled: ['a'] }) }
    const w = watch('get_agent_status')
    w.input({ arguments: { agentId: 'a' } })
    await pass(1)
    await w.cancel('a')
    expect(calls.at(-1)).toEqual(['cancel_agent', { agentId: 'a' }])
  })
})

it('many agents are looked for in lists, and those that are not there alone', async () => {
  answers = { list_agents: listed(100, 300), get_agent_status: ({ agentId }) => status(agentId!) }
  const w = watch('wait_agent')
  w.input({ arguments: { agentIds: ['a1', 'a2', 'a150', 'a1', 'a299', 'gone'] } })
  await pass(1)
  expect(w.rows().agents.map((a) => a.id)).toEqual(['a1', 'a2', 'a150', 'a299', 'gone'])
  expect(calls.filter(([tool]) => tool === 'list_agents').map(([, a]) => a.offset)).toEqual([0, 100, 200])
  expect(calls.filter(([, a]) => a.agentId).length).toBeLessThan(10)
})

describe('a list', () => {
  it('shows a page, and more if it is wanted', async () => {
    answers = { list_agents: listed(100, 500), get_agent_status: ({ agentId }) => status(agentId!) }
    const w = watch()
    w.input({ arguments: { groupId: 'g', offset: 7, limit: 3 } })
    await pass(1)
    expect(calls[0]).toEqual(['list_agents', { groupId: 'g', offset: 0, limit: 200 }])
    expect([w.rows().agents.length, w.rows().more]).toEqual([page, 450])
    for (let i = 1; i <= 4; i++) {
      w.more()
      await pass(1)
    }
    expect([w.rows().agents.length, w.rows().more]).toEqual([5 * page, 250])
  })

  it('never goes in circles', async () => {
    answers = { list_agents: () => ({ agents: [], total: 1e9, nextOffset: 1 }), get_agent_status: ({ agentId }) => status(agentId!) }
    const w = watch()
    w.input({ arguments: {} })
    await pass(1)
    expect(calls.length).toBe(2)
    answers = { list_agents: ({ offset = 0 }) => ({ agents: [{ agentId: `x${offset}` }], total: 1e9, nextOffset: offset + 1 }), get_agent_status: ({ agentId }) => status(agentId!) }
    await pass(1e5)
    expect(w.agents.size).toBeLessThan(2000)
  })

  it('tells of the first what a list does not say', async () => {
    answers = { list_agents: listed(100, 40, (i) => ({ status: i % 2 ? 'completed' : 'running' })), get_agent_status: ({ agentId }) => status(agentId!, { status: Number(agentId!.slice(1)) % 2 ? 'completed' : 'running', lastAssistantMessage: `of ${agentId}` }) }
    const w = watch()
    w.input({ arguments: {} })
    await pass(20 * pace.round)
    expect(w.rows().agents.slice(0, 12).every((a) => a.said === `of ${a.id}`)).toBe(true)
    expect(w.rows().agents[20]!.said).toBe('')
    w.inspect('a20', true)
    await pass(pace.round)
    expect(w.agents.get('a20')!.said).toBe('of a20')
    expect(w.inspects('a20')).toBe(true)
  })

  it('is there for who may only be told', () => {
    answers = {}
    const w = new Watch({ host: { request: () => Promise.reject(new Error('asked')), notify() {} }, changed: () => {}, visible: () => true })
    w.begin(false, '')
    w.input({ arguments: {} })
    w.result({ content: [], structuredContent: { agents: [{ agentId: 'a', status: 'running' }], total: 1 } })
    expect([w.phase, w.rows().agents.length]).toEqual(['still', 1])
    w.refresh()
    expect(w.phase).toBe('still')
  })
})

it('a server that does not answer is asked ever more seldom, and then not at all', async () => {
  answers = {}
  const w = watch()
  w.input({ arguments: {} })
  await pass(1)
  expect([w.phase, w.problem]).toEqual(['away', 'list_agents is not for pages'])
  await pass(1e7)
  expect(calls.length).toBe(pace.failures)
  answers = { list_agents: listed(5, 5), get_agent_status: ({ agentId }) => status(agentId!) }
  w.refresh()
  await pass(1)
  expect([w.phase, w.problem, w.rows().agents.length]).toEqual(['live', '', 5])
})

it.each([
  ['run_agent', ''],
  ['black_magic_list_agents', 'black_magic_'],
  ['weather', ''],
  ['', ''],
])('the tool %s has the prefix %s', async (tool, prefix) => {
  expect(prefixOf(tool)).toBe(prefix)
  answers = { [`${prefix}list_agents`]: listed(1, 1), [`${prefix}get_agent_status`]: ({ agentId }) => status(agentId!) }
  const w = watch(tool)
  w.input({ arguments: {} })
  await pass(1)
  expect(w.rows().agents.length).toBe(1)
})

describe('a result that comes while a call waits for its answer', () => {
  let reply: (answer: Members) => void
  let fail: (e: Error) => void

  function waiting(): Watch {
    const host = {
      request: (_: string, params: object) => {
        calls.push([(params as { name: string }).name, (params as { arguments: Args }).arguments])
        return new Promise<unknown>((resolve, reject) => {
          reply = (answer) => resolve({ content: [], structuredContent: answer })
          fail = reject
        })
      },
      notify() {},
    }
    const w = new Watch({ host, changed: () => {}, visible: () => true })
    w.begin(true, 'list_agents')
    w.input({ arguments: {} })
    return w
  }

  it.each([
    ['fails', () => fail(new HostError('gone'))],
    ['has agents', () => reply(listed(3, 3)({}))],
  ])('is not covered by an answer that %s', async (_, answer) => {
    const w = waiting()
    await pass(0)
    expect(calls.length).toBe(1)
    w.result({ content: [{ type: 'text', text: 'UNKNOWN_GROUP' }], isError: true })
    answer()
    await pass(1e6)
    expect([w.phase, w.problem, calls.length]).toEqual(['still', 'UNKNOWN_GROUP', 1])
  })

  it('names other agents, which are looked at next', async () => {
    const w = waiting()
    await pass(0)
    w.input({ arguments: { agentIds: ['a'] } })
    fail(new HostError('gone'))
    await pass(1)
    expect(calls[1]).toEqual(['get_agent_status', { agentId: 'a' }])
    expect([w.phase, w.problem]).toEqual(['starting', ''])
  })
})
