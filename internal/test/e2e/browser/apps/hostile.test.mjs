// The card among texts and messages that mean it ill, in a host that has no server.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { card, expectSoon, inside, leave, policy, shoot, usable, visit } from './look.mjs'

after(leave)

const html = await readFile(new URL('../../../../../tools/agents/card/web/dist/card.html', import.meta.url), 'utf8')

const agent = (i, more = {}) => ({
  agentId: `impl-code-${String(i).padStart(4, '0')}`, groupId: 'grp-1', role: 'impl-code', model: 'auto', status: 'running', elapsed_ms: 1000 * i, toolCallCount: i, ...more,
})

/** A page with the card, whose calls are answered by a function of the test's, which is run there. */
async function show(t, answer, { args = {}, ...settings } = {}) {
  const page = await visit(t, undefined, settings)
  await page.evaluate(
    ([document, p, code, a]) => host.open(document, { args: a, policy: p, answer: new Function('params', `return (${code})(params)`) }),
    [html, policy, String(answer), args],
  )
  return page
}

const tell = (page, structuredContent) => page.evaluate((s) => host.last.bridge.sendToolResult({ content: [], structuredContent: s }), structuredContent)

const mean = [
  '</script><script>globalThis.owned = 1</script>',
  '<img src=x onerror="globalThis.owned = 1">',
  '<svg/onload=globalThis.owned=1>',
  '"><iframe srcdoc="<script>parent.owned=1</script>">',
  '</style><style>*{display:none}</style>',
  '{{constructor.constructor("owned=1")()}} ${owned=1} <!-- ]]>',
  '\u202Egnp.exe\u202C \u0000\u001b[31mred\u001b[0m',
  `${'long'.repeat(5000)} ${'行'.repeat(5000)}`,
]

test('texts stay texts', { timeout: 300_000 }, async (t) => {
  const page = await show(t, () => new Promise(() => {}))
  await tell(page, { agents: mean.map((text, i) => agent(i, { agentId: `${i} ${text}`, role: text, model: text, groupId: text, status: i % 2 ? 'failed' : 'running' })), total: mean.length })
  const view = card(page)
  await view.locator('.row').nth(mean.length - 1).waitFor()
  for (let i = 0; i < mean.length; i++) {
    const text = mean[i]
    await tell(page, {
      agentId: `${i} ${text}`, groupId: text, role: text, model: text, status: i % 2 ? 'failed' : 'running', elapsed_ms: 5, toolCallCount: 3, lastAssistantMessage: text, errorMessage: text,
      recentToolCalls: [{ seq: 1, type: text, subtype: 'completed', args: { path: text } }, { seq: 2, type: 'shellToolCall', subtype: 'started', args: text }],
      result: { status: 'failure', summary: text, editedFiles: [text], createdFiles: Array(1000).fill(text), deletedFiles: [{}], branch: text }, usage: { inputTokens: 1e12, outputTokens: -1, costUSD: 0.5 },
    })
    await view.locator('.row').nth(i).locator('.head').click()
    await view.locator('.row').nth(i).locator('.body dl').waitFor()
  }
  const frame = await inside(page)
  assert.equal(await frame.evaluate(() => globalThis.owned), undefined)
  assert.equal(await page.evaluate(() => globalThis.owned), undefined)
  assert.equal(await frame.locator('script, style, img, iframe, form').count(), 2, 'its own script and style')
  assert.ok((await view.locator('.row .said').first().textContent()).includes('</script><script>'), 'it is shown as it is')
  const wide = await frame.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  assert.ok(wide <= 0, `it is ${wide} px too wide`)
  const all = await frame.evaluate(() => document.body.innerText)
  assert.doesNotMatch(all, /[\u0000\u001b\u202e]/, 'nothing turns around what is beside it')
  assert.ok(all.length < 200_000, `${all.length} characters`)
  await shoot(page, 'card-hostile')
  await usable(page, 'hostile texts')
})

test('five hundred agents', { timeout: 300_000 }, async (t) => {
  const page = await show(
    t,
    (params) => {
      const agents = []
      const { offset = 0 } = params.arguments
      for (let i = offset; i < Math.min(offset + 100, 500); i++) {
        agents.push({ agentId: `a-${i}`, groupId: 'g', role: 'r', model: 'm', status: i % 3 ? 'completed' : 'running', elapsed_ms: i, toolCallCount: i })
      }
      return { content: [], structuredContent: { agents, total: 500, nextOffset: offset + 100 < 500 ? offset + 100 : undefined } }
    },
    { locale: 'en-US' },
  )
  await tell(page, { agents: [agent(0, { agentId: 'a-0' })], total: 500, nextOffset: 1 })
  const view = card(page)
  await expectSoon(() => view.locator('.row').count(), (n) => n === 50)
  assert.ok((await page.evaluate(() => host.sizes.at(-1))) <= 640, 'it stays small')
  for (let n = 100; n <= 500; n += 50) {
    await view.getByRole('button', { name: `Show more (${500 - n + 50} left)` }).click()
    await expectSoon(() => view.locator('.row').count(), (now) => now === n)
  }
  await view.locator('.more').waitFor({ state: 'hidden' })
  await shoot(page, 'card-crowd')
})

test('nobody but the host is listened to', { timeout: 300_000 }, async (t) => {
  const page = await show(t, () => new Promise(() => {}))
  await tell(page, { agents: [agent(1)], total: 1 })
  const view = card(page)
  await view.locator('.row').waitFor()
  const forged = { jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: { agents: [agent(2, { role: 'forged' })], total: 1 } } }
  const frame = await inside(page)
  // From itself; from the host without the sandbox in between; from a frame beside it; and what is no message of the protocol.
  await frame.evaluate((m) => postMessage(m, '*'), forged)
  await page.evaluate((m) => document.querySelector('iframe').contentWindow.frames[0].postMessage(m, '*'), forged)
  await page.evaluate((m) => {
    const other = document.createElement('iframe')
    other.srcdoc = `<script>parent.document.querySelector('iframe').contentWindow.frames[0].postMessage(${JSON.stringify(m).replaceAll('<', '\\u003c')}, '*')</script>`
    document.body.append(other)
    return new Promise((done) => (other.onload = done))
  }, forged)
  await page.evaluate((m) => {
    const send = (data) => host.last.frame.contentWindow.postMessage(data, '*')
    for (const data of [null, 5, 'text', [], {}, { ...m, jsonrpc: '1.0' }, { jsonrpc: '2.0' }, { jsonrpc: '2.0', id: 1, result: { hostContext: { locale: 'ja' } } }, { jsonrpc: '2.0', id: {}, method: 'x' }]) send(data)
    send({ jsonrpc: '2.0', method: 'ui/notifications/tool-result', params: { structuredContent: { agents: [5, null, {}, { agentId: 7 }, { agentId: 'odd', status: {}, recentToolCalls: {} }], total: 'many' } } })
    send({ jsonrpc: '2.0', method: 'ui/notifications/host-context-changed', params: { theme: 'url(x)', styles: { variables: { '--color-text-primary': 'url(https://example.com)', color: 'red', '--most': '9px' } }, containerDimensions: 5 } })
  }, forged)
  await view.locator('[data-agent="odd"]').waitFor() // what the host has sent last was read
  assert.equal(await view.getByText('forged').count(), 0)
  assert.equal(await view.locator('html').getAttribute('lang'), 'en')
  assert.equal(await view.locator('html').getAttribute('style'), '--most: 640px;')
  const unknown = await frame.evaluate(() => document.body.innerText)
  assert.match(unknown, /odd/)
})

test('a server that goes away, and comes back', { timeout: 300_000 }, async (t) => {
  const page = await show(t, () => {
    if (!globalThis.up) throw new Error('gone <b>fishing</b>')
    return { content: [], structuredContent: { agents: [{ agentId: 'a', groupId: 'g', role: 'r', model: 'm', status: 'completed', elapsed_ms: 9, toolCallCount: 1 }], total: 1 } }
  })
  await tell(page, { agents: [agent(1, { agentId: 'a' })], total: 1 })
  const view = card(page)
  await view.locator('.light.away').waitFor()
  await view.getByText('gone <b>fishing</b>').waitFor()
  await page.evaluate(() => (globalThis.up = true))
  await view.getByRole('button', { name: 'Refresh now' }).click()
  await view.locator('.row.tone-completed').waitFor()
  await view.locator('.note.wrong').waitFor({ state: 'hidden' })
})

test('a tool that fails, is cancelled, or says nothing that can be drawn', { timeout: 300_000 }, async (t) => {
  const failure = { content: [{ type: 'text', text: 'UNKNOWN_GROUP: <i>no</i> such group' }], isError: true }
  const fail = (page) => page.evaluate((r) => host.last.bridge.sendToolResult(r), failure)
  const shows = (page) => card(page).getByText(failure.content[0].text).waitFor()

  // The card asks for a list at once. The failure comes while it waits for the answer, which says nothing.
  const page = await show(t, () => new Promise((done) => (globalThis.reply = () => done({ content: [] }))))
  await page.waitForFunction(() => globalThis.reply)
  await fail(page)
  await shows(page)
  const frame = await inside(page)
  await frame.evaluate(() => {
    globalThis.answered = new Promise((done) => addEventListener('message', (e) => e.data?.result && setTimeout(done, 0)))
  })
  await page.evaluate(() => reply())
  await frame.evaluate(() => answered)
  assert.equal(await card(page).getByText(failure.content[0].text).count(), 1)

  // The answer comes first.
  await page.evaluate(([document, p]) => host.open(document, { args: {}, policy: p, answer: () => ({ content: [] }) }), [html, policy])
  await card(page).locator('.light.away').waitFor()
  await fail(page)
  await shows(page)
  await card(page).locator('.light.still').waitFor()

  await page.evaluate(([document, p]) => host.open(document, { args: {}, policy: p }), [html, policy])
  await page.evaluate(() => host.last.bridge.sendToolCancelled({ reason: 'user' }))
  await card(page).getByText('The call of the tool was cancelled.').waitFor()
  await page.evaluate(([document, p]) => host.open(document, { args: { prompt: 'x' }, policy: p }), [html, policy])
  await page.evaluate(() => host.last.bridge.sendToolResult({ content: [{ type: 'text', text: 'agent <x> is queued' }] }))
  await card(page).getByText('agent <x> is queued').waitFor()
})

test('alone, it says where it belongs', async (t) => {
  const page = await visit(t)
  await page.setContent(html)
  await page.getByText('An MCP client shows this.').waitFor()
})
