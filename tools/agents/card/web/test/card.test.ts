import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { surround } from '../src/context'
import { begin } from '../src/main'

type Message = { id?: number; method?: string; params?: { name?: string } }

let sent: Message[]
let parent: Window

beforeEach(() => {
  vi.useFakeTimers()
  document.body.innerHTML = '<main id="card"></main>'
  sent = []
  parent = { postMessage: (m: Message) => void sent.push(m) } as unknown as Window
})

afterEach(() => void vi.useRealTimers())

async function receive(message: object): Promise<void> {
  const e = new MessageEvent('message', { data: { jsonrpc: '2.0', ...message }, origin: 'https://host.example' })
  Object.defineProperty(e, 'source', { value: parent })
  window.dispatchEvent(e)
  await vi.advanceTimersByTimeAsync(1)
}

async function open(hostContext: object = { locale: 'en' }): Promise<void> {
  const begun = begin(window, parent)
  await receive({ id: sent[0]!.id, result: { protocolVersion: '2026-01-26', hostCapabilities: { serverTools: {} }, hostContext } })
  await begun
}

const tell = (structuredContent: unknown) => receive({ method: 'ui/notifications/tool-result', params: { content: [], structuredContent } })

it('greets its host, shows an agent, and opens it when it is alone', async () => {
  await open()
  expect(sent.map((m) => m.method)).toEqual(['ui/initialize', 'ui/notifications/initialized'])
  await receive({ method: 'ui/notifications/tool-input', params: { arguments: { prompt: 'x', role: 'r' } } })
  await tell({ agentId: 'a', groupId: 'g', role: '<b>coder</b>', model: 'm', status: 'running' })
  expect(document.querySelector('.role')!.textContent).toBe('<b>coder</b>')
  expect(document.querySelector('.head')!.getAttribute('aria-expanded')).toBe('true')
  const asked = sent.at(-1)!
  expect(asked.params!.name).toBe('get_agent_status')
  await receive({
    id: asked.id,
    result: { content: [], structuredContent: { agentId: 'a', role: 'coder', status: 'completed', recentToolCalls: [{ type: 'shellToolCall', failed: true, args: { command: 'make' } }], errorMessage: 'broke', result: { status: 'success', summary: 'All is well.', editedFiles: Array(20).fill('f.go') }, moreFiles: 4 } },
  })
  const text = document.querySelector('.body')!.textContent!
  for (const part of ['All is well.', 'shell make (failed)', 'broke', 'and 16 more']) expect(text).toContain(part)
  expect(document.querySelector('[role=status]')!.textContent).toBe('a: Completed')
})

it('is drawn without touching what has not changed', async () => {
  await open()
  await receive({ method: 'ui/notifications/tool-input', params: { arguments: {} } })
  const agents = (n: number) => Array.from({ length: n }, (_, i) => ({ agentId: `a${i}`, role: 'r', status: 'running', toolCallCount: i }))
  await tell({ agents: agents(3), total: 3 })
  const rows = [...document.querySelectorAll('.row')]
  const second = rows[1]!.querySelector<HTMLElement>('.head')!
  second.focus()
  await tell({ agents: agents(5), total: 5 })
  expect([...document.querySelectorAll('.row')].slice(0, 3)).toEqual(rows)
  expect(document.activeElement).toBe(second)
  const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  press('ArrowDown')
  press('ArrowDown')
  expect(document.activeElement!.closest('li')!.dataset.agent).toBe('a3')
  press('Home')
  press('ArrowUp')
  expect(document.activeElement!.closest('li')!.dataset.agent).toBe('a0')
  ;(document.activeElement as HTMLElement).click()
  expect(document.activeElement!.getAttribute('aria-expanded')).toBe('true')
  press('Escape')
  expect(document.activeElement!.getAttribute('aria-expanded')).toBe('false')
})

it('asks before it cancels', async () => {
  await open({ locale: 'ja-JP' })
  await tell({ agentId: 'a', role: 'r', status: 'running' })
  const button = (text: string) => [...document.querySelectorAll<HTMLElement>('.foot button')].find((b) => b.textContent === text)!
  button('中止').click()
  expect(sent.some((m) => m.params?.name === 'cancel_agent')).toBe(false)
  button('続ける').click()
  button('中止').click()
  button('中止する').click()
  const call = sent.at(-1)!
  expect(call.params).toEqual({ name: 'cancel_agent', arguments: { agentId: 'a' } })
  await receive({ id: call.id, result: { isError: true, content: [{ type: 'text', text: 'another <i>server</i> runs it' }] } })
  expect(document.querySelector('[role=alert]')!.textContent).toBe('中止できませんでした: another <i>server</i> runs it')
})

it('without a host it says where it belongs', async () => {
  await begin(window, window)
  await vi.advanceTimersByTimeAsync(1)
  expect(document.querySelector('.note:not(.wrong)')!.textContent).toBe('An MCP client shows this.')
})

it('ends when its host says so', async () => {
  await open()
  await tell({ agentId: 'a', role: 'r', status: 'running' })
  await receive({ id: 'bye', method: 'ui/resource-teardown', params: {} })
  expect(sent.at(-1)).toMatchObject({ id: 'bye', result: {} })
  const n = sent.length
  await vi.advanceTimersByTimeAsync(1e6)
  expect(sent.length).toBe(n)
})

it('takes from its surroundings what does no harm', () => {
  const root = document.createElement('html')
  const to = surround(
    {
      theme: 'dark',
      locale: 'ja',
      displayMode: 'fullscreen',
      availableDisplayModes: ['inline', 'fullscreen', 5],
      containerDimensions: { maxHeight: 300 },
      styles: {
        variables: {
          '--color-background-primary': 'light-dark(#fff, rgb(1 2 3 / 50%))',
          '--font-sans': '"Some Font", sans-serif',
          '--color-text-primary': 'url(https://example.com/x)',
          '--color-text-secondary': 'red; } body { display: none',
          '--color-border-primary': 5,
          '--line': 'red',
          color: 'red',
        },
      },
    },
    root,
    ['en'],
  )
  expect(to).toEqual({ language: 'ja', canWiden: true, isWide: true })
  expect(root.dataset).toMatchObject({ theme: 'dark', fill: 'true' })
  expect(Array.from({ length: root.style.length }, (_, i) => root.style.item(i)).sort()).toEqual(['--color-background-primary', '--font-sans', '--most'])
  for (const odd of [{}, { styles: 5 }, { containerDimensions: [] }, { locale: 7, theme: 'url(x)', availableDisplayModes: 'fullscreen' }]) {
    expect(surround(odd, document.createElement('html'), ['ja'])).toEqual({ language: 'ja', canWiden: false, isWide: false })
  }
})
