import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Connection } from '../src/host'

const origin = 'https://host.example'
let sent: [message: Record<string, unknown>, to: string][]
let parent: Window
let connection: Connection

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  parent = { postMessage: (m: Record<string, unknown>, to: string) => sent.push([m, to]) } as unknown as Window
  connection = new Connection(window, parent)
})

afterEach(() => {
  connection.close()
  vi.useRealTimers()
})

function receive(data: unknown, from: { source?: unknown; origin?: string } = {}): void {
  const e = new MessageEvent('message', { data, origin: from.origin ?? origin })
  // jsdom takes no source that is not a window of its own.
  Object.defineProperty(e, 'source', { value: 'source' in from ? from.source : parent })
  window.dispatchEvent(e)
}

async function greet() {
  const greeting = connection.request('ui/initialize', {})
  receive({ jsonrpc: '2.0', id: sent.at(-1)![0].id, result: { ok: true } })
  expect(await greeting).toEqual({ ok: true })
}

it('asks, and is answered', async () => {
  await greet()
  expect(sent[0]).toEqual([{ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: {} }, '*'])
  const refused = connection.request('tools/call', {})
  expect(sent[1]![1]).toBe(origin)
  receive({ jsonrpc: '2.0', id: 2, error: { code: -32602, message: 'no' } })
  await expect(refused).rejects.toMatchObject({ message: 'no', code: -32602 })
})

it('gives up after a while', async () => {
  const silence = expect(connection.request('tools/call', {}, 500)).rejects.toThrow('no answer')
  await vi.advanceTimersByTimeAsync(600)
  await silence
})

it('listens to nobody else', async () => {
  const heard = vi.fn()
  connection.on('n', heard)
  receive({ jsonrpc: '2.0', method: 'n' }) // before the first answer
  await greet()
  const notice = { jsonrpc: '2.0', method: 'n', params: 1 }
  receive(notice, { source: window })
  receive(notice, { source: null })
  receive(notice, { origin: 'https://other.example' })
  for (const data of [null, 5, 'x', [notice], {}, { ...notice, jsonrpc: '1' }, { jsonrpc: '2.0', id: 99, result: {} }, { jsonrpc: '2.0', id: '1', result: {} }]) receive(data)
  expect(heard).not.toHaveBeenCalled()
  receive(notice)
  expect(heard).toHaveBeenCalledExactlyOnceWith(1)
})

it('answers what it is asked', async () => {
  await greet()
  connection.on('ping', () => ({}))
  receive({ jsonrpc: '2.0', id: 'p', method: 'ping' })
  receive({ jsonrpc: '2.0', id: 'q', method: `x${'y'.repeat(1e6)}` })
  receive({ jsonrpc: '2.0', method: 'ping' })
  expect(sent.length).toBe(3)
  expect(sent[1]![0]).toEqual({ jsonrpc: '2.0', id: 'p', result: {} })
  expect(sent[2]![0]).toMatchObject({ id: 'q', error: { code: -32601 } })
  expect(JSON.stringify(sent[2]).length).toBeLessThan(500)
})
