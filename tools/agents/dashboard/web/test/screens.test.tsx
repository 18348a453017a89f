import { act, Profiler } from 'react'
import { createRoot } from 'react-dom/client'
import type { Root } from 'react-dom/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Page } from '../src/app'
import { words } from '../src/i18n'
import { AppContext } from '../src/state/app'
import type { App } from '../src/state/app'
import { Clock } from '../src/state/clock'
import { Store } from '../src/state/store'
import { AgentCard } from '../src/screens/card'
import { Api } from '../src/wire/api'
import { agent, event, group, role, snapshot } from './data'

declare global {
  var IS_REACT_ACT_ENVIRONMENT: boolean
}
globalThis.IS_REACT_ACT_ENVIRONMENT = true

let root: Root
let box: HTMLElement

beforeEach(() => {
  location.hash = ''
  box = document.createElement('div')
  document.body.replaceChildren(box)
  root = createRoot(box)
  window.scrollTo = () => undefined
})

afterEach(() => {
  act(() => root.unmount())
  vi.restoreAllMocks()
})

function setup() {
  const store = new Store((step) => step())
  const asked: [string, unknown][] = []
  let answer: unknown = null
  const app: App = {
    store,
    clock: new Clock(),
    api: new Api('http://localhost/', ''),
    words: words.en,
    language: 'en',
    ask: (type, body) => {
      asked.push([type, body])
      return Promise.resolve({ data: answer })
    },
    notify: () => undefined,
    retry: () => undefined,
  }
  const tell = (...told: Parameters<Store['push']>[0]) => act(async () => store.push(told))
  return { app, store, asked, tell, answers: (a: unknown) => (answer = a) }
}

const page = (app: App, phase: Parameters<typeof Page>[0]['phase'] = { name: 'open' }) =>
  act(async () =>
    root.render(
      <AppContext.Provider value={app}>
        <Page phase={phase} notices={[]} onDismiss={() => undefined} onLanguage={() => undefined} />
      </AppContext.Provider>,
    ),
  )

const $ = <T extends Element = HTMLElement>(selector: string) => document.querySelector<T>(selector)
const press = (selector: string) => act(async () => $(selector)?.click())

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

async function type(into: string | Control, value: string) {
  const field = typeof into === 'string' ? $<Control>(into)! : into
  const prototype = Object.getPrototypeOf(field)
  await act(async () => {
    Object.getOwnPropertyDescriptor(prototype, 'value')!.set!.call(field, value)
    field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }))
  })
}

describe('the dashboard', () => {
  it('shows groups with their agents, and those of none', async () => {
    const t = setup()
    await page(t.app)
    expect(box.textContent).toContain(words.en.dashboard.loading)
    await t.tell(snapshot({ agents: [agent('a1', { lastAssistantMessage: 'reading' }), agent('b1', { groupId: '' })] }))
    expect($('[data-group=g1]')?.textContent).toContain('group g1')
    expect($('[data-agent=a1]')?.textContent).toContain('reading')
    expect($('[data-group=none]')?.textContent).toContain(words.en.dashboard.unsorted)
    await press('[data-group=g1] .group-toggle')
    expect($('[data-agent=a1]')).toBeNull()
    expect($('[data-group=g1] .group-toggle')?.getAttribute('aria-expanded')).toBe('false')
  })

  it('follows an agent to its end', async () => {
    const t = setup()
    await page(t.app)
    await t.tell(snapshot({ agents: [agent('a1')] }))
    await t.tell(event('agent:tool_call', { agentId: 'a1', call: { seq: 1, callId: 'c', type: 'readToolCall', subtype: 'started', args: { path: 'x.go' } } }))
    expect($('[data-agent=a1] .doing')?.textContent).toBe('readx.go')
    expect($('[data-agent=a1] .count')?.textContent).toContain('1')
    await t.tell(event('agent:completed', agent('a1', { status: 'failed', outcome: 'failed', version: 3, endedAt: '2026-01-01T00:01:31Z', error: 'it broke' })))
    expect($('[data-agent=a1]')?.className).toContain('tone-failed just')
    expect($('[data-agent=a1]')?.textContent).toContain('it broke')
    expect($('[data-agent=a1] .time')?.textContent).toContain('1:30')
  })

  it('draws only the card that has changed', async () => {
    const t = setup()
    await t.tell(snapshot({ agents: [agent('a1'), agent('a2')] }))
    const drawn: string[] = []
    const card = (id: string) => (
      <Profiler key={id} id={id} onRender={(name) => drawn.push(name)}>
        <AgentCard id={id} />
      </Profiler>
    )
    await act(async () => root.render(<AppContext.Provider value={t.app}>{['a1', 'a2'].map(card)}</AppContext.Provider>))
    drawn.length = 0
    await t.tell(event('agent:status_update', agent('a1', { version: 2, lastAssistantMessage: 'hi' })))
    expect(drawn).toEqual(['a1'])
  })

  it('filters by state and by text', async () => {
    const t = setup()
    await page(t.app)
    await t.tell(snapshot({ groups: [group('g1'), group('g2')], agents: [agent('a1'), agent('a2', { groupId: 'g2', status: 'failed', outcome: 'failed' })] }))
    await press('.tile-failed')
    expect([$('[data-agent=a1]'), $('[data-group=g1]')]).toEqual([null, null])
    expect($('[data-agent=a2]')).not.toBeNull()
    await type('.toolbar input', 'zzz')
    expect(box.textContent).toContain(words.en.dashboard.noMatch)
  })

  it('cancels after a question, with the reason', async () => {
    const t = setup()
    await page(t.app)
    await t.tell(snapshot({ agents: [agent('a1')] }))
    await press('[data-agent=a1] .icon-button.danger')
    expect(t.asked).toEqual([])
    await type('.confirm input', 'enough')
    await press('.confirm [type=submit]')
    expect(t.asked).toEqual([['agent:cancel', { agentId: 'a1', reason: 'enough' }]])
    expect($('.confirm')).toBeNull()
  })

  it('deletes a group with force only if somebody is at work in it', async () => {
    const t = setup()
    await page(t.app)
    await t.tell(snapshot({ groups: [group('g1'), group('g2')], agents: [agent('a1')] }))
    for (const id of ['g1', 'g2']) {
      await press(`[data-group=${id}] .group-delete`)
      await press('.confirm [type=submit]')
    }
    expect(t.asked).toEqual([
      ['group:delete', { groupId: 'g1', force: true }],
      ['group:delete', { groupId: 'g2', force: false }],
    ])
  })

  it('offers nothing to who may only look, or is cut off', async () => {
    const t = setup()
    await page(t.app)
    await t.tell(snapshot({ agents: [agent('a1')], writable: false }))
    expect($('.icon-button.danger')).toBeNull()
    expect(box.textContent).toContain(words.en.connection.readOnly)
    await t.tell(snapshot({ agents: [agent('a1')] }))
    expect($('.icon-button.danger')).not.toBeNull()
    await page(t.app, { name: 'lost', attempt: 1, retryAt: Date.now() + 5000 })
    expect($('.icon-button.danger')).toBeNull()
    expect($('[role=alert]')?.textContent).toContain(words.en.connection.stale)
  })
})

describe('roles', () => {
  const open = async (t: ReturnType<typeof setup>) => {
    location.hash = '#/roles'
    await page(t.app)
    await t.tell(snapshot({ roles: [role('impl-code'), role('other')] }))
  }

  it('are saved with what they were, once something has changed', async () => {
    const t = setup()
    await open(t)
    expect($<HTMLButtonElement>('[data-role=impl-code] [type=submit]')?.disabled).toBe(true)
    await type('[data-role=impl-code] textarea', 'do it well')
    await press('[data-role=impl-code] [type=submit]')
    const old = { id: 'impl-code', name: 'Role impl-code', model: 'm1', systemPrompt: 'do it', healthCheckPrompt: 'OK?', tools: [] }
    expect(t.asked).toEqual([['config:update_role', { role: { ...old, systemPrompt: 'do it well' }, old }]])
  })

  it('have a model checked when it is chosen, and offer those there are', async () => {
    const t = setup()
    t.answers({ id: 'impl-code', available: false, healthCheck: { status: 'skipped' }, modelValidation: { status: 'invalid', message: 'not there', suggestion: 'm1' } })
    await open(t)
    await type('[data-role=impl-code] select', 'm2')
    expect(t.asked).toEqual([['config:revalidate_model', { roleId: 'impl-code', model: 'm2' }]])
    expect($('[data-role=impl-code] .model-verdict')?.textContent).toContain('not there')
    await press('[data-role=impl-code] .chip')
    expect($<HTMLSelectElement>('[data-role=impl-code] select')?.value).toBe('m1')
  })

  it('that change elsewhere are shown anew, but not over an edit', async () => {
    const t = setup()
    await open(t)
    await type('[data-role=other] textarea', 'mine')
    await t.tell(event('config:updated', { roles: [role('impl-code', { name: 'Renamed' }), role('other', { systemPrompt: 'theirs' })] }))
    expect($<HTMLInputElement>('[data-role=impl-code] input')?.value).toBe('Renamed')
    expect($<HTMLTextAreaElement>('[data-role=other] textarea')?.value).toBe('mine')
    await press('[data-role=other] .role-problem .link')
    expect($<HTMLTextAreaElement>('[data-role=other] textarea')?.value).toBe('theirs')
  })

  it('can be made when everything needed is there', async () => {
    const t = setup()
    await open(t)
    await press('.screen-head .button')
    await press('.role.new [type=submit]')
    expect(t.asked).toEqual([])
    expect($('.role.new')?.textContent).toContain(words.en.roles.required)
    const fields = [...document.querySelectorAll<HTMLInputElement>('.role.new input')]
    await type(fields[0]!, 'scribe')
    await type(fields[1]!, 'Scribe')
    await type('.role.new textarea', 'Write.')
    await press('.role.new [type=submit]')
    expect(t.asked).toEqual([['config:create_role', { role: { id: 'scribe', name: 'Scribe', model: 'm1', systemPrompt: 'Write.', healthCheckPrompt: 'Hello, respond with exactly: OK', tools: [] } }]])
    expect($('.role.new')).toBeNull()
  })
})

describe('the health check', () => {
  it('shows its steps as they come', async () => {
    const t = setup()
    location.hash = '#/health'
    await page(t.app)
    const pending = { available: false, healthCheck: { status: 'pending' as const }, modelValidation: { status: 'pending' as const } }
    await t.tell(snapshot({ roles: [role('a', { state: { id: 'a', ...pending } })], health: { phase: 'models' } }))
    expect($('.step.now')?.textContent).toContain('[1/3]')
    await t.tell(event('healthcheck:model_validation', [{ id: 'a', ...pending, modelValidation: { status: 'valid' } }]))
    await t.tell(event('healthcheck:role_start', { roleId: 'a', model: 'm1' }))
    expect($('.step.now')?.textContent).toMatch(/\[2\/3\].*a.*asking…/)
    await t.tell(event('healthcheck:role_complete', { id: 'a', available: true, healthCheck: { status: 'passed', responseTime_ms: 1200 }, modelValidation: { status: 'valid' } }))
    await t.tell(event('healthcheck:complete', { total: 1, available: 1 }))
    expect(box.textContent).toContain('OK (1.2s)')
    expect($('.step-summary')?.textContent).toBe(words.en.health.summary(1, 1))
  })
})

describe('the history', () => {
  it('asks for what the address says, and shows it by group', async () => {
    const t = setup()
    const asked: string[] = []
    vi.spyOn(globalThis, 'fetch').mockImplementation(async (url) => {
      asked.push(String(url))
      return new Response(JSON.stringify({ agents: [agent('a1', { status: 'completed', outcome: 'completed', endedAt: '2026-01-01T00:00:31Z', result: { status: 'success', summary: 'all well', statusSource: '', summarySource: '', duration_ms: 1, toolCallCount: 2, timestamp: '', createdFiles: ['new.go'] } })], groups: [group('g1', { status: 'deleted' })], total: 1 }))
    })
    location.hash = '#/history?role=impl-code&status=completed'
    await page(t.app)
    await t.tell(snapshot())
    expect(asked.at(-1)).toBe('http://localhost/api/history?status=completed&role=impl-code&offset=0&limit=50')
    expect($('.history')?.textContent).toMatch(/group g1.*deleted.*all well.*30s.*new\.go/)
  })
})
