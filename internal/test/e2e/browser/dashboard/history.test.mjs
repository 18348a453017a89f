// What has run is found again.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { expectSoon, leave, show } from './look.mjs'

after(leave)

const ids = (page) => page.locator('.run').evaluateAll((rows) => rows.map((r) => r.getAttribute('data-agent')))

test('everything that is known of a run is in its row', async (t) => {
  const { page } = await show(t, scenes.rich(), { hash: '#/history' })
  const row = page.locator('[data-agent="impl-code-1763791030-1f33"]')
  await row.getByText('Idempotency-Key を受け取り').waitFor()
  const text = await row.innerText()
  for (const part of ['報告済み', 'コード実装者', 'impl-code-1763791030-1f33', '3m 30s', '~ api/payments.go', '+1', '18', '20']) assert.ok(text.includes(part), `${part} in ${text}`)
  await page.getByText('検索インデックスの高速化').last().waitFor()
  await page.getByText('削除済み').waitFor()
})

test('filters, alone and together, and shared by the address', async (t) => {
  const { page } = await show(t, scenes.rich('en'), { language: 'en', hash: '#/history' })
  await expectSoon(async () => (await ids(page)).length, 14)
  await page.getByLabel('Status').selectOption('failed')
  await expectSoon(() => ids(page), ['impl-test-1763791032-7d20'])
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expectSoon(async () => (await ids(page)).length, 14)
  await page.getByLabel('Role').selectOption('text-review')
  await expectSoon(async () => (await ids(page)).length, 2)
  await page.getByLabel('Search IDs, prompts and summaries').fill('README')
  await expectSoon(() => ids(page), ['text-review-1763790020-3c11'])
  assert.match(page.url(), /role=text-review/)
  await page.reload()
  await expectSoon(() => ids(page), ['text-review-1763790020-3c11'])
  await page.getByLabel('Search IDs, prompts and summaries').fill('nothing like it')
  await page.getByText('No run matches the filter').waitFor()
})

test('by group or in one list, the newest or the oldest first', async (t) => {
  const { page } = await show(t, scenes.rich('en'), { language: 'en', hash: '#/history' })
  await expectSoon(async () => (await page.locator('.history-group').count()), 4)
  await page.getByLabel('By group').uncheck()
  await expectSoon(async () => (await page.locator('.history-group').count()), 0)
  assert.equal((await ids(page))[0], 'impl-code-1763791230-44aa')
  await page.getByLabel('Order').selectOption('oldest')
  await expectSoon(async () => (await ids(page))[0], 'impl-code-1763704810-9e9e')
})

test('long histories come in pages, from both ends', async (t) => {
  const { page } = await show(t, scenes.crowd('en', 130), { language: 'en', hash: '#/history?grouped=no' })
  await expectSoon(async () => (await ids(page)).length, 50)
  await page.getByRole('button', { name: 'Show more (50 / 130)' }).click()
  await page.getByRole('button', { name: 'Show more (100 / 130)' }).click()
  await expectSoon(async () => new Set(await ids(page)).size, 130)
  const newest = await ids(page)
  await page.getByLabel('Order').selectOption('oldest')
  await page.getByRole('button', { name: 'Show more (50 / 130)' }).click()
  await page.getByRole('button', { name: 'Show more (100 / 130)' }).click()
  await expectSoon(() => ids(page), newest.toReversed())
})

test('a run that was not there is announced', async (t) => {
  const { page, world } = await show(t, scenes.rich('en'), { language: 'en', hash: '#/history' })
  await expectSoon(async () => (await ids(page)).length, 14)
  world.addAgent({ agentId: 'impl-code-9-9999', groupId: 'grp-1763791200-b4e1', role: 'impl-code', model: 'm', status: 'queued', createdAt: new Date().toISOString(), toolCallCount: 0, version: 1 })
  await page.getByRole('button', { name: '1 new run' }).click()
  await expectSoon(async () => (await ids(page))[0], 'impl-code-9-9999')
  world.end('impl-code-9-9999', 'completed', { summary: 'that was quick' })
  await page.locator('[data-agent="impl-code-9-9999"]').getByText('that was quick').waitFor()
})

test('a run opens from the history', async (t) => {
  const { page } = await show(t, scenes.rich(), { hash: '#/history' })
  await page.locator('[data-agent="impl-code-1763704810-9e9e"]').click()
  await page.locator('.drawer').getByText('転置インデックスを差分符号化し、メモリを 41 % 減らしました。').waitFor()
  await page.goBack()
  await page.locator('.drawer').waitFor({ state: 'detached' })
})
