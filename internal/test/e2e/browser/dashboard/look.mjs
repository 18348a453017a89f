// A browser that looks at the dashboard.

import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import { browser } from '../chromium.mjs'
import { serve } from '../../../../../tools/agents/dashboard/web/test/mock/server.mjs'

export { leave } from '../chromium.mjs'

export { expectSoon } from './soon.mjs'

export const desk = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/** Opens an address; complaints of the page fail the test at its end. */
export async function visit(t, url, { language = 'ja', size = desk, ...more } = {}) {
  const context = await (await browser()).newContext({ viewport: size, locale: language === 'ja' ? 'ja-JP' : 'en-US', timezoneId: 'Asia/Tokyo', ...more })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints = []
  page.on('pageerror', (e) => complaints.push(String(e.stack ?? e)))
  page.on('console', (m) => {
    // That a server is away is told by the browser itself.
    if (m.type() === 'error' && !/WebSocket|ERR_|Failed to load resource/.test(m.text())) complaints.push(m.text())
  })
  t.after(async () => {
    await context.close()
    assert.deepEqual(complaints, [])
  })
  await page.goto(url)
  return page
}

/** Serves a world and opens its dashboard, with the token unless told otherwise. */
export async function show(t, world, { hash, token = true, ...more } = {}) {
  const server = await serve(world)
  t.after(() => server.close())
  const page = await visit(t, server.url + (token ? `#token=${server.token}` : ''), more)
  await page.locator('.light-open').waitFor()
  await page.locator('h1').waitFor({ state: 'attached' })
  if (hash) await go(page, hash)
  return { page, server, world }
}

export async function go(page, hash) {
  await page.evaluate((h) => {
    location.hash = h
  }, hash)
}

/** Keeps a picture where the environment says, if it does. */
export async function shoot(page, name) {
  const dir = process.env.DOUGU_SCREENSHOTS
  if (!dir) return
  await mkdir(dir, { recursive: true })
  await page.screenshot({ path: join(dir, `${name}.png`) })
}

/** Fails if the page is hard or impossible to use for some. */
export async function usable(page, what) {
  await page.evaluate(axe.source)
  const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }))
  const serious = found.violations.filter((v) => v.impact === 'serious' || v.impact === 'critical')
  const lines = serious.flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.html.slice(0, 160)}\n    ${n.any[0]?.message ?? n.failureSummary}`))
  assert.deepEqual(lines, [], what)
}
