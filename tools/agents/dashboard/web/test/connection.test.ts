import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Told } from '../src/state/reduce'
import { Connection } from '../src/wire/connection'
import type { Phase } from '../src/wire/connection'
import { event, snapshot } from './data'

class FakeSocket {
  readyState = 0
  sent: Record<string, unknown>[] = []
  onopen: (() => void) | null = null
  onmessage: ((m: { data: unknown }) => void) | null = null
  onclose: ((e?: { code: number }) => void) | null = null
  send(text: string) {
    this.sent.push(JSON.parse(text))
  }
  close() {
    this.readyState = 3
  }
  opens() {
    this.readyState = 1
    this.onopen?.()
  }
  says(message: unknown) {
    this.onmessage?.({ data: typeof message === 'string' ? message : JSON.stringify(message) })
  }
  breaks(code = 1006) {
    this.readyState = 3
    this.onclose?.({ code })
  }
}

function setup(token = 'secret') {
  const sockets: FakeSocket[] = []
  const phases: Phase[] = []
  const told: Told[] = []
  const alive = { yes: true }
  const connection = new Connection('ws://here/ws', token, { phase: (p) => phases.push(p), told: (t) => told.push(...t) }, {
    open: () => {
      const s = new FakeSocket()
      sockets.push(s)
      return s as unknown as WebSocket
    },
    alive: () => Promise.resolve(alive.yes),
  })
  connection.start()
  return { connection, sockets, phases, told, alive, last: () => sockets.at(-1)! }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('says hello with the token first, and is open with the snapshot', () => {
  const t = setup()
  t.last().opens()
  expect(t.last().sent).toEqual([{ type: 'hello', token: 'secret', id: 1 }])
  expect(t.phases.at(-1)).toMatchObject({ name: 'connecting' })
  t.last().says({ type: 'reply', id: 1, ok: true })
  t.last().says(snapshot())
  expect(t.phases.at(-1)).toEqual({ name: 'open' })
})

it('takes one message and many, and none that makes no sense', () => {
  const t = setup()
  t.last().opens()
  t.last().says('not json')
  t.last().says([null, 3, {}, event('agent:created', {})])
  t.last().says(event('group:created', {}))
  expect(t.told.map((m) => m.type)).toEqual(['agent:created', 'group:created'])
})

describe('a request', () => {
  const ready = () => {
    const t = setup()
    t.last().opens()
    t.last().says(snapshot())
    return t
  }

  it('is answered by its number', async () => {
    const t = ready()
    const a = t.connection.request('agent:cancel', { agentId: 'a' })
    const b = t.connection.request('health:run')
    expect(t.last().sent.slice(1)).toEqual([
      { type: 'agent:cancel', agentId: 'a', id: 2 },
      { type: 'health:run', id: 3 },
    ])
    t.last().says([
      { type: 'reply', id: 3, ok: true, data: 7 },
      { type: 'reply', id: 2, ok: false, error: { code: 'UNKNOWN_AGENT', message: 'who?', next: 'look' } },
    ])
    await expect(b).resolves.toBe(7)
    await expect(a).rejects.toMatchObject({ code: 'UNKNOWN_AGENT', message: 'who?', next: 'look' })
  })

  it('fails when nobody answers, and when the connection breaks', async () => {
    const t = ready()
    const a = t.connection.request('health:run')
    const late = expect(a).rejects.toMatchObject({ code: 'NO_ANSWER' })
    await vi.advanceTimersByTimeAsync(30_000)
    await late
    const b = t.connection.request('health:run')
    const broken = expect(b).rejects.toMatchObject({ code: 'NOT_CONNECTED' })
    t.last().breaks()
    await broken
    await expect(t.connection.request('health:run')).rejects.toMatchObject({ code: 'NOT_CONNECTED' })
  })
})

describe('a connection that breaks', () => {
  it('is made again, less and less often, at most every 15 s', () => {
    const t = setup()
    const waits: number[] = []
    for (let i = 0; i < 9; i++) {
      t.last().breaks()
      const p = t.phases.at(-1)
      if (p?.name !== 'lost') throw new Error('not lost')
      waits.push(p.retryAt - Date.now())
      vi.advanceTimersByTime(p.retryAt - Date.now() + 1)
      expect(t.sockets.length).toBe(i + 2)
    }
    expect(waits[0]).toBeLessThanOrEqual(500)
    expect(waits.at(-1)).toBeGreaterThanOrEqual(7_500)
    expect(Math.max(...waits)).toBeLessThanOrEqual(15_000)
  })

  it('begins again with short waits once it was good', () => {
    const t = setup()
    for (let i = 0; i < 6; i++) {
      t.last().breaks()
      vi.advanceTimersByTime(15_001)
    }
    t.last().opens()
    t.last().says(snapshot())
    t.last().breaks()
    const p = t.phases.at(-1)
    expect(p?.name === 'lost' && p.retryAt - Date.now()).toBeLessThanOrEqual(500)
  })

  it('is made at once when asked for, and once only', () => {
    const t = setup()
    t.last().breaks()
    t.connection.retry()
    t.connection.retry()
    expect(t.sockets.length).toBe(2)
    vi.advanceTimersByTime(60_000)
    expect(t.sockets.length).toBe(2)
  })

  it('without a word is found out, and only then', async () => {
    const t = setup()
    t.last().opens()
    t.last().says(snapshot())
    await vi.advanceTimersByTimeAsync(300_000)
    expect(t.sockets.length).toBe(1)
    t.alive.yes = false
    await vi.advanceTimersByTimeAsync(31_000)
    expect(t.sockets.length).toBeGreaterThan(1)
  })

  it('for want of a token is not made again until it is asked for', () => {
    const t = setup('wrong')
    t.last().opens()
    t.last().breaks(4401)
    expect(t.phases.at(-1)).toEqual({ name: 'refused' })
    vi.advanceTimersByTime(300_000)
    expect(t.sockets.length).toBe(1)
    t.connection.retry()
    expect(t.sockets.length).toBe(2)
  })

  it('is left alone when the page goes', () => {
    const t = setup()
    t.connection.stop()
    vi.advanceTimersByTime(60_000)
    expect(t.sockets.length).toBe(1)
  })

  it('does not hear what an old socket still says', () => {
    const t = setup()
    const old = t.last()
    const handler = old.onmessage
    old.breaks()
    handler?.({ data: JSON.stringify(event('agent:created', {})) })
    expect(t.told).toEqual([])
  })
})
