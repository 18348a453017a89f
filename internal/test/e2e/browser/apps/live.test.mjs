// The card of a real server, in a real host.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { card, expectSoon, inside, leave, policy, program, shoot, usable, visit } from './look.mjs'

after(leave)

const order = (groupId, recording, prompt, more = {}) => ({ groupId, role: 'impl-code', prompt: `${prompt}\n\n[fake:${recording}]`, ...more })

/** A page that is connected to a server of its own. */
async function begin(t, { mode = 'auto', speed, ...settings } = {}) {
  const page = await visit(t, await program(t, { speed }), settings)
  const { revision, capabilities } = await page.evaluate((m) => host.connect(m), mode)
  assert.ok(capabilities.extensions['io.modelcontextprotocol/ui'], 'the extension is offered')
  const group = await page.evaluate(() => host.call('create_group', { description: 'e2e' }))
  return { page, revision, group: /^group (\S+) was made$/.exec(group.content[0].text)[1] }
}

for (const [mode, revision, locale, theme] of [
  ['auto', '2026-07-28', 'ja-JP', 'dark'],
  ['legacy', '2025-11-25', 'en-US', 'light'],
]) {
  test(`an agent from its order to its end, ${revision}, ${locale}, ${theme}`, { timeout: 300_000 }, async (t) => {
    const words = locale === 'ja-JP' ? { running: '実行中', ended: /^(完了|報告済み)$/, still: '静止' } : { running: 'Running', ended: /^(Completed|Reported)$/, still: 'Still' }
    const { page, group, revision: spoken } = await begin(t, { mode, locale, theme })
    assert.equal(spoken, revision)
    const show = (recording) => page.evaluate(([args, p]) => host.show('run_agent', args, p), [order(group, recording, 'Do it.'), policy])

    // One that never ends by itself: what is seen of it has come since its order.
    const { result, contents } = await show('demo-timeout')
    assert.match(result.content[0].text, /agent impl-code-\S+ .*is queued/, 'there is text for those who see no card')
    assert.deepEqual(contents._meta.ui.csp, { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] })
    const row = card(page).locator(`[data-agent="${result.structuredContent.agentId}"]`)
    await row.locator('.state', { hasText: words.running }).waitFor()
    await row.locator('.list li', { hasText: 'migrate' }).first().waitFor()
    await shoot(page, `card-agent-${theme}`)
    await usable(page, 'an agent at work')

    // And one that does.
    const ends = await show('demo-cart')
    const second = card(page).locator(`[data-agent="${ends.result.structuredContent.agentId}"]`)
    await second.locator('.state', { hasText: words.ended }).waitFor()
    await second.locator('.list', { hasText: 'shop/cart.go' }).last().waitFor()
    await card(page).locator('.light', { hasText: words.still }).waitFor()
    await shoot(page, `card-ended-${theme}`)
    await usable(page, 'an agent that has ended')
    assert.deepEqual(await page.evaluate(() => host.refused), [])
    assert.equal(await card(page).locator('html').getAttribute('lang'), locale.slice(0, 2))
  })
}

for (const [locale, theme] of [
  ['ja-JP', 'light'],
  ['en-US', 'dark'],
]) {
  test(`agents that are waited for, ${locale}, ${theme}`, { timeout: 300_000 }, async (t) => {
    const { page, group } = await begin(t, { locale, theme, speed: '8' })
    const ids = await page.evaluate(async (orders) => {
      const ids = []
      for (const args of orders) ids.push((await host.call('run_agent', { ...args, dependsOn: args.dependsOn?.map((i) => ids[i]) })).structuredContent.agentId)
      return ids
    }, [
      order(group, 'demo-cart', 'カートに割引を実装する'),
      order(group, 'demo-fail', 'Break something'),
      order(group, 'demo-review', 'Review it', { role: 'code-review' }),
      order(group, 'demo-timeout', 'Never ends', { role: 'text-review' }),
      order(group, 'demo-cart-test', 'Test it', { role: 'impl-test', dependsOn: [3] }),
    ])
    const waiting = page.evaluate(([agentIds, p]) => host.show('wait_agent', { agentIds, timeout_ms: 20_000 }, p), [ids, policy])
    const view = card(page)
    await view.locator('.row').nth(4).waitFor() // while the tool is still being called
    await view.locator('.row.tone-failed').waitFor()
    await view.locator('.row.tone-running').first().waitFor()
    await view.locator('.row.tone-completed').nth(1).waitFor()
    await view.locator('.row.tone-blocked').waitFor()
    await view.locator('.row.tone-failed .head').click()
    await view.locator('.row.tone-failed .body .list').first().waitFor()
    await shoot(page, `card-many-${theme}`)
    await usable(page, 'agents in every state')

    // Without a mouse: to the agent that never ends, and cancel it.
    const stuck = view.locator(`[data-agent="${ids[3]}"]`)
    await view.locator('.row .head').first().focus()
    await page.keyboard.press('End')
    await page.keyboard.press('Home')
    while (!(await stuck.locator('.head').evaluate((e) => e === document.activeElement))) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await stuck.locator('.foot .button').waitFor()
    await expectSoon(
      async () => {
        await page.keyboard.press('Tab')
        return stuck.locator('.foot .button').evaluate((e) => e === document.activeElement)
      },
      (there) => there,
    )
    await page.keyboard.press('Enter')
    await stuck.locator('.foot .danger').waitFor()
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await view.locator(`[data-agent="${ids[3]}"].tone-cancelled`).waitFor()
    await view.locator(`[data-agent="${ids[4]}"].tone-failed`).waitFor()
    await view.locator('.light.still').waitFor()
    await waiting
    assert.deepEqual(new Set(await page.evaluate(() => host.called)), new Set(['list_agents', 'get_agent_status', 'cancel_agent']))
  })
}

test('a list, full screen and on a phone', { timeout: 300_000 }, async (t) => {
  const { page, group } = await begin(t, { locale: 'ja-JP', theme: 'dark', speed: '0', width: 400 })
  for (let i = 0; i < 4; i++) await page.evaluate((args) => host.call('run_agent', args), order(group, 'normal', 'Do it'))
  await page.evaluate(([groupId, p]) => host.show('list_agents', { groupId }, p), [group, policy])
  const view = card(page)
  await view.locator('.row').nth(3).waitFor()
  await view.locator('.light.still').waitFor()
  await shoot(page, 'card-phone')
  await usable(page, 'a phone')
  const small = await page.evaluate(() => host.sizes.at(-1))
  assert.ok(small < 640, `it is ${small} high`)
  await view.getByRole('button', { name: '全画面で表示' }).click()
  await view.getByRole('button', { name: '元の大きさに戻す' }).waitFor()
  assert.deepEqual(await page.evaluate(() => host.modes), ['fullscreen'])
  await page.evaluate(() => host.last.bridge.sendHostContextChange({ theme: 'light', locale: 'en-GB' }))
  await view.locator('h1', { hasText: 'Agents' }).waitFor()
  assert.equal(await view.locator('html').evaluate((e) => getComputedStyle(e).backgroundColor), 'rgb(255, 255, 255)')
  assert.deepEqual(await page.evaluate(() => host.last.bridge.teardownResource({})), {})
})

test('the host keeps the card from tools that are not for it, and the browser from everything else', { timeout: 300_000 }, async (t) => {
  const { page, group } = await begin(t, { speed: '0', allowed: /Content Security Policy|sandboxed/ })
  await page.evaluate(([args, p]) => host.show('run_agent', args, p), [order(group, 'normal', 'Do it'), policy])
  await card(page).locator('.row.tone-completed').waitFor()
  const frame = await inside(page)
  const ask = (name) =>
    frame.evaluate(
      (tool) =>
        new Promise((done) => {
          addEventListener('message', (e) => e.data?.id === `of ${tool}` && done(e.data))
          parent.postMessage({ jsonrpc: '2.0', id: `of ${tool}`, method: 'tools/call', params: { name: tool, arguments: {} } }, '*')
        }),
      name,
    )
  for (const name of ['run_agent', 'send_followup', 'create_group', 'delete_group', 'report_result', 'get_agent_output', 'no_such_tool']) {
    assert.match((await ask(name)).error?.message ?? '', /is not for pages/, name)
  }
  assert.equal((await ask('list_agents')).result.structuredContent.total, 1)

  const violations = await frame.evaluate(async () => {
    const found = []
    addEventListener('securitypolicyviolation', (e) => found.push(e.effectiveDirective))
    const fails = async (directive, f) => {
      const before = found.length
      await f()
      for (let i = 0; i < 1000 && !found.slice(before).some((d) => d.startsWith(directive)); i++) await new Promise((r) => setTimeout(r, 20))
      return found.slice(before).some((d) => d.startsWith(directive)) ? [] : [directive]
    }
    const add = (tag, set) => document.body.append(Object.assign(document.createElement(tag), set))
    return [
      ...(await fails('connect-src', () => fetch('https://example.com/').catch(() => {}))),
      ...(await fails('img-src', () => add('img', { src: 'https://example.com/a.png' }))),
      ...(await fails('script-src', () => add('script', { textContent: 'globalThis.owned = true' }))),
      ...(await fails('script-src', () => add('script', { src: 'https://example.com/a.js' }))),
      ...(await fails('script-src', () => { document.body.insertAdjacentHTML('beforeend', '<p onclick="globalThis.owned = true">x</p>'); document.body.lastElementChild.click() })),
      ...(await fails('style-src', () => add('style', { textContent: 'p { color: red }' }))),
      ...(await fails('frame-src', () => add('iframe', { src: 'https://example.com/' }))),
      ...(await fails('base-uri', () => add('base', { href: 'https://example.com/' }))),
    ]
  })
  assert.deepEqual(violations, [], 'these were not refused')
  assert.equal(await frame.evaluate(() => globalThis.owned), undefined)
  assert.equal(await frame.evaluate(() => origin), 'null')
})
