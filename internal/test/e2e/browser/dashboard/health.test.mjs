// The checks of the start, as they go on.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { expectSoon, leave, show } from './look.mjs'

after(leave)

test('step by step to the end', async (t) => {
  const { page, world } = await show(t, scenes.checking(), { hash: '#/health' })
  const step = (n) => page.locator('.step').nth(n - 1)
  await expectSoon(() => step(2).getAttribute('class'), /now/)
  assert.match((await step(1).innerText()).replace(/\s+/g, ' '), /\[1\/3\] モデル検証 ├─ impl-code \(claude-4-sonnet\) 有効 ├─ code-review \(claude-4-opus\) 有効 ├─ text-review \(gpt-4o\) 無効/)
  await step(2).getByText('チェック中…').waitFor()

  world.emit('healthcheck:role_start', { roleId: 'impl-test', model: 'claude-4-sonnet' })
  await expectSoon(() => step(2).locator('li').nth(3).innerText(), /impl-test\s*チェック中… \(\d/)
  for (const r of world.roles) if (r.id !== 'text-review') world.emit('healthcheck:role_complete', { id: r.id, available: true, healthCheck: { status: 'passed', responseTime_ms: 1200 }, modelValidation: { status: 'valid' } })
  world.emit('healthcheck:complete', { total: 5, available: 4 })
  await step(3).getByText('全 5 職種中 4 職種が利用可能です').waitFor()
  await expectSoon(() => step(2).locator('li').nth(3).innerText(), /OK \(1\.2s\)/)
})

test('again, when it is asked for', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en', hash: '#/health' })
  await page.getByRole('button', { name: 'Run again' }).click()
  await page.locator('.step.now').getByText('Checking models…').waitFor()
  await page.locator('.step.now').getByText('Asking roles…').waitFor()
  await page.getByText('4 of 5 roles can be used').waitFor()
  assert.deepEqual(server.requests.map((r) => r.type), ['health:run'])
})

test('a model that is not there is replaced at a press', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en', hash: '#/health' })
  const card = page.locator('.health-card[data-role="text-review"]')
  await card.getByText("モデル 'gpt-4o' は利用できません").waitFor()
  await card.getByRole('button', { name: 'Change to gpt-5' }).click()
  await page.getByText('Editor now uses gpt-5').waitFor()
  await expectSoon(() => card.getAttribute('class'), /tone-completed/)
  assert.equal(server.requests[0].role.model, 'gpt-5')
  assert.equal(server.requests[0].old.model, 'gpt-4o')
})
