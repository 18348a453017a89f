// A server that goes and comes back.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { serve } from '../../../../../tools/agents/dashboard/web/test/mock/server.mjs'
import { expectSoon, leave, show, visit } from './look.mjs'

after(leave)

test('a connection that breaks is made again, and shows what happened meanwhile', async (t) => {
  const { page, server, world } = await show(t, scenes.rich('en'), { language: 'en' })
  const tell = world.tell
  world.tell = () => undefined
  world.end('impl-code-1763791210-a3f2', 'completed', { summary: 'done while nobody looked' })
  world.tell = tell
  server.drop()
  await page.getByText('done while nobody looked').waitFor()
  await page.locator('.light-open').waitFor()
})

test('while the server is away the page says so, and nothing can be pressed', async (t) => {
  const first = await serve(scenes.rich('en'))
  const port = Number(new URL(first.url).port)
  const page = await visit(t, `${first.url}#token=secret`, { language: 'en' })
  await page.locator('.light-open').waitFor()
  await first.close()
  await page.getByRole('alert').getByText('The connection to the server is lost.').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Cancel/ }).count(), 0)
  await page.locator('[data-agent="impl-code-1763791210-a3f2"]').waitFor()

  const second = await serve(scenes.empty('en'), { port })
  t.after(() => second.close())
  const again = page.getByRole('button', { name: 'Reconnect now' })
  if (await again.isEnabled().catch(() => false)) await again.click({ timeout: 1000 }).catch(() => undefined)
  await page.getByText('The circle awaits').waitFor()
  await expectSoon(() => page.getByRole('alert').count(), 0)
})
