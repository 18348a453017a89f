// What happens is seen, without anybody pressing anything.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { expectSoon, leave, show } from './look.mjs'

after(leave)

const now = () => new Date().toISOString()
const fresh = (id, groupId, more = {}) => ({ agentId: id, groupId, role: 'impl-code', model: 'claude-4-sonnet', status: 'queued', createdAt: now(), toolCallCount: 0, version: 1, ...more })

test('an agent from its order to its report', async (t) => {
  const { page, world } = await show(t, scenes.empty(), { language: 'en' })
  await page.getByText('The circle awaits').waitFor()

  world.addGroup({ id: 'grp-1-aaaa', description: '認証機能の実装', status: 'active', createdAt: now(), agentIds: [] })
  const group = page.locator('[data-group="grp-1-aaaa"]')
  await group.getByText('認証機能の実装').waitFor()
  await group.getByText('No agents yet').waitFor()

  const id = 'impl-code-1-bbbb'
  world.addAgent(fresh(id, 'grp-1-aaaa'))
  const card = page.locator(`[data-agent="${id}"]`)
  await card.getByText('Queued', { exact: true }).waitFor()
  await expectSoon(() => page.locator('.tile-waiting .tile-number').textContent(), '1')

  world.update(id, { status: 'running', startedAt: now() })
  await card.getByText('Running').waitFor()
  await expectSoon(() => card.locator('.time').innerText(), /0:0[1-9]/)
  await expectSoon(() => page.title(), '(1) Kuromajutsu')

  world.call(id, 'editToolCall', { path: 'src/auth/token.ts' })
  await card.getByText('src/auth/token.ts').waitFor()
  assert.equal((await card.locator('.count').innerText()).trim(), '1')
  world.update(id, { lastAssistantMessage: 'Rotating tokens…' })
  await card.getByText('Rotating tokens…').waitFor()

  world.emit('agent:stalled', { agentId: id, stalled: true, silent_ms: 30_000 }, { agentId: id })
  await card.getByText('Silent').waitFor()
  world.emit('agent:stalled', { agentId: id, stalled: false, silent_ms: 0 }, { agentId: id })
  await card.getByText('Running').waitFor()

  world.end(id, 'completed', { summary: 'Tokens rotate now.', createdFiles: ['src/auth/rotate.ts'] })
  await card.getByText('Completed').waitFor()
  await card.getByText('Tokens rotate now.').waitFor()
  world.update(id, { status: 'resultReported' }, 'agent:result_reported')
  await card.getByText('Reported').waitFor()
  assert.match(await card.getAttribute('class'), /tone-reported just/)
  await expectSoon(() => page.locator('.group-done').innerText(), '1/1')

  world.groups.get('grp-1-aaaa').status = 'deleted'
  world.emit('group:deleted', world.groups.get('grp-1-aaaa'))
  await page.getByText('The circle awaits').waitFor()
})

for (const [outcome, word] of [
  ['failed', 'Failed'],
  ['timedOut', 'Timed out'],
  ['cancelled', 'Cancelled'],
]) {
  test(`an agent that ends as ${outcome}`, async (t) => {
    const { page, world } = await show(t, scenes.rich('en'), { language: 'en' })
    const id = 'impl-code-1763791210-a3f2'
    world.end(id, outcome, { summary: '' }, 'it could not go on')
    const card = page.locator(`[data-agent="${id}"]`)
    await card.getByText(word, { exact: true }).waitFor()
    await card.getByText('it could not go on').waitFor()
    assert.match(await card.getAttribute('class'), new RegExp(`tone-${outcome} just`))
  })
}

test('cancelling asks first, and says why', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en' })
  const card = page.locator('[data-agent="impl-test-1763791214-91bd"]')
  await card.getByRole('button', { name: /^Cancel/ }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('Cancel this agent?').waitFor()
  await dialog.getByRole('button', { name: 'Keep' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(server.requests, [])

  await card.getByRole('button', { name: /^Cancel/ }).click()
  await dialog.getByLabel('Reason (optional)').fill('the plan has changed')
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await card.getByText('Cancelled').waitFor()
  const [{ id: _, ...asked }] = server.requests
  assert.deepEqual(asked, { type: 'agent:cancel', agentId: 'impl-test-1763791214-91bd', reason: 'the plan has changed' })
})

test('deleting a group with agents at work says so', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en' })
  const group = page.locator('[data-group="grp-1763791200-b4e1"]')
  await group.getByRole('button', { name: /^Delete group/ }).click()
  await page.getByRole('alertdialog').getByText('5 agents that are still running will be cancelled.').waitFor()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await group.waitFor({ state: 'detached' })
  assert.equal(server.requests[0].force, true)
})

test('everything about an agent, while it works', async (t) => {
  const { page, world } = await show(t, scenes.rich(), { language: 'ja' })
  const id = 'impl-code-1763791210-a3f2'
  await page.locator(`[data-agent="${id}"] .card-open`).click()
  const drawer = page.locator('.drawer')
  await drawer.getByText('リフレッシュトークンのローテーションを実装してください。', { exact: false }).waitFor()
  await drawer.getByRole('tab', { name: 'ツール' }).click()
  await drawer.getByText('go test ./internal/auth/ -run TestToken -count=1').first().waitFor()
  world.call(id, 'readToolCall', { path: 'docs/just-now.md' })
  await drawer.getByText('docs/just-now.md').waitFor()
  await drawer.getByRole('tab', { name: '差分' }).click()
  await drawer.locator('.line-added').first().waitFor()
  await drawer.getByRole('tab', { name: '出力' }).click()
  await drawer.getByText('テストから書き始めます。').waitFor()
  world.texts.text = () => 'もっと前のこと\n'.repeat(30_000) + '最後の言葉'
  await drawer.getByRole('tab', { name: 'ログ' }).click()
  await drawer.getByText('system·init').waitFor()
  await drawer.getByRole('tab', { name: '出力' }).click()
  await drawer.getByText('最後の言葉').waitFor()
  const before = (await drawer.locator('.output pre').textContent()).length
  await drawer.getByRole('button', { name: /さらに前を読み込む/ }).click()
  await expectSoon(async () => (await drawer.locator('.output pre').textContent()).length, (n) => n > before)
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
})

test('a page without the token may look and not touch', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en', token: false })
  await page.getByText('Read only').waitFor()
  assert.equal(await page.getByRole('button', { name: /Cancel|Delete/ }).count(), 0)
  await page.goto(`${server.url}#token=${server.token}`)
  await page.getByRole('button', { name: /^Cancel/ }).first().waitFor()
  assert.doesNotMatch(page.url(), /token/)
})

test('the token leaves the address and stays with the tab', async (t) => {
  const { page } = await show(t, scenes.rich('en'), { language: 'en' })
  assert.doesNotMatch(page.url(), /token/)
  await page.reload()
  await page.getByRole('button', { name: /^Cancel/ }).first().waitFor()
})
