// Roles are edited where they stand.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { expectSoon, leave, show } from './look.mjs'

after(leave)

const open = (t, more = {}) => show(t, scenes.rich('en'), { language: 'en', hash: '#/roles', ...more })

test('a change is saved, and what it was goes with it', async (t) => {
  const { page, server, world } = await open(t)
  const role = page.locator('[data-role="impl-code"]')
  const save = role.getByRole('button', { name: 'Save' })
  assert.equal(await save.isDisabled(), true)
  await role.getByLabel('System prompt').fill('Write it twice.\nThrow one away.\n')
  await role.getByText('Unsaved changes').waitFor()
  await save.click()
  await page.getByText('Saved “Implementer”').waitFor()
  const asked = server.requests.find((r) => r.type === 'config:update_role')
  assert.equal(asked.role.systemPrompt, 'Write it twice.\nThrow one away.\n')
  assert.match(asked.old.systemPrompt, /^You are an expert implementer/)
  assert.equal(world.roles[0].systemPrompt, asked.role.systemPrompt)
  assert.equal(await save.isDisabled(), true)
})

test('a model is checked as it is chosen', async (t) => {
  const { page, server, world } = await open(t)
  const role = page.locator('[data-role="impl-code"]')
  await role.getByLabel('Model').selectOption('grok-4')
  await role.getByText('The model is available').waitFor()
  assert.deepEqual(server.requests.map((r) => [r.type, r.roleId, r.model]), [['config:revalidate_model', 'impl-code', 'grok-4']])

  world.models = { cursor: world.models.cursor.filter((m) => m.id !== 'gpt-5') }
  await role.getByLabel('Model').selectOption('gpt-5')
  await role.getByText("モデル 'gpt-5' は利用できません").waitFor()
  await role.getByRole('button', { name: 'Use claude-4-sonnet' }).click()
  await expectSoon(() => role.getByLabel('Model').inputValue(), 'claude-4-sonnet')
})

test('what somebody else has saved is not overwritten unseen', async (t) => {
  const { page, world } = await open(t)
  const role = page.locator('[data-role="impl-test"]')
  await role.getByLabel('System prompt').fill('mine')
  world.roles[3] = { ...world.roles[3], systemPrompt: 'theirs' }
  world.emit('config:updated', { roles: world.roles })
  await role.getByText('The configuration changed while you were editing.').waitFor()
  await role.getByRole('button', { name: 'Save' }).click()
  await page.getByText('the role was changed meanwhile').waitFor()
  assert.equal(await role.getByLabel('System prompt').inputValue(), 'mine')
  await role.getByRole('button', { name: 'Load the new version' }).click()
  assert.equal(await role.getByLabel('System prompt').inputValue(), 'theirs')
})

test('a role is made and deleted', async (t) => {
  const { page, server } = await open(t)
  await page.getByRole('button', { name: 'Add role' }).click()
  const form = page.locator('.role.new')
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByText('Required').first().waitFor()
  await form.getByLabel('Role ID').fill('Bad ID')
  await form.getByText('Only lower-case letters, digits, - and _').waitFor()
  await form.getByLabel('Role ID').fill('scribe')
  await form.getByLabel('Name').fill('書記')
  await form.getByLabel('System prompt').fill('議事録を書いてください。')
  await form.getByText('More settings').click()
  await form.getByLabel('Time-out (seconds)').fill('90')
  await form.getByLabel('Works in').selectOption('worktree')
  await form.getByLabel('Allowed tools (one per line)').fill('Shell(git)\n\n Read(**) ')
  await form.getByLabel('Do not allow file changes').check()
  await form.getByRole('button', { name: 'Create' }).click()
  await page.locator('[data-role="scribe"]').waitFor()
  const { id: _, ...role } = server.requests.find((r) => r.type === 'config:create_role').role
  assert.deepEqual(role, { name: '書記', model: 'claude-4-sonnet', systemPrompt: '議事録を書いてください。', healthCheckPrompt: 'Hello, respond with exactly: OK', tools: ['Shell(git)', 'Read(**)'], readOnly: true, isolation: 'worktree', timeout_ms: 90_000 })

  await page.getByRole('button', { name: 'Delete role: 書記' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.locator('[data-role="scribe"]').waitFor({ state: 'detached' })
})
