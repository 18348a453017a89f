// A browser that looks at the card, in a host.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import axe from 'axe-core'
import { browser } from '../chromium.mjs'
import { serve, token } from './host/serve.mjs'

export { leave } from '../chromium.mjs'

/** What the Go client makes of what the card asks for. */
export const policy = process.env.DOUGU_APPS_POLICY

/** Runs kuromajutsu with recorded agents, and answers where it serves MCP. */
export async function program(t, { speed = '4', flags = ['-apps'] } = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'dougu-apps-'))
  const project = join(dir, 'project')
  await mkdir(project)
  const args = ['-http', '127.0.0.1:0', '-root', project, '-port', '0', '-agent-cursor-program', process.env.DOUGU_FAKEAGENT, '-agent-stagger_ms', '0', ...flags]
  const child = spawn(process.env.DOUGU_KUROMAJUTSU, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, HOME: dir, XDG_STATE_HOME: join(dir, 'state'), XDG_CONFIG_HOME: '', DOUGU_TOKEN: token, FAKEAGENT_SPEED: speed },
  })
  const ended = new Promise((done) => child.on('exit', done))
  t.after(async () => {
    child.kill('SIGTERM')
    await ended
    await rm(dir, { recursive: true, force: true, maxRetries: 5 })
  })
  let said = ''
  return new Promise((found, failed) => {
    child.stderr.on('data', (data) => {
      said += data
      const at = /serves (http:\/\/\S+\/mcp)/.exec(said)
      if (at) found(at[1])
    })
    ended.then(() => failed(new Error(`it has ended: ${said}`)))
  })
}

/** Opens the page of a host of an MCP server; what the pages complain of fails the test at its end. */
export async function visit(t, mcp, { width = 760, height = 800, allowed, ...settings } = {}) {
  const host = await serve(t, mcp ?? 'http://127.0.0.1:9/mcp')
  const context = await (await browser()).newContext({ viewport: { width, height }, locale: 'fr-FR', timezoneId: 'Asia/Tokyo' })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints = []
  page.on('pageerror', (e) => complaints.push(String(e.stack ?? e)))
  page.on('console', (m) => {
    if (m.type() === 'error' && !/favicon|Failed to load resource/.test(m.text()) && !allowed?.test(m.text())) complaints.push(m.text())
  })
  const requests = []
  // A request that the policy has stopped never was one.
  const asked = (r) => {
    if (![host.host, host.sandbox].includes(new URL(r.url()).origin) && r.failure()?.errorText !== 'csp') requests.push(`${r.url()}: ${r.failure()?.errorText}`)
  }
  page.on('requestfinished', asked)
  page.on('requestfailed', asked)
  t.after(async () => {
    await context.close()
    assert.deepEqual(complaints, [])
    assert.deepEqual(requests, [], 'something was asked of somebody else')
  })
  await page.goto(host.at(settings))
  await page.waitForFunction(() => globalThis.host)
  return page
}

/** The page that was shown last. */
export const card = (page) => page.frameLocator('iframe[title="view"] >> nth=-1').frameLocator('iframe[title="app"]')

/** The same as a frame, in which code can be run. */
export async function inside(page) {
  const outer = await (await page.locator('iframe[title="view"]').last().elementHandle()).contentFrame()
  return (await outer.waitForSelector('iframe')).contentFrame()
}

/** Keeps a picture where the environment says, if it does. */
export async function shoot(page, name) {
  const dir = process.env.DOUGU_SCREENSHOTS
  if (!dir) return
  await mkdir(dir, { recursive: true })
  await page.locator('iframe[title="view"]').last().scrollIntoViewIfNeeded()
  for (const frame of page.frames()) await frame.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
  await page.screenshot({ path: join(dir, `${name}.png`) })
}

/** Fails if the card is hard or impossible to use for some. */
export async function usable(page, what) {
  const frame = await inside(page)
  const found = await frame.evaluate(`(() => { ${axe.source}; return globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }) })()`)
  const lines = found.violations.flatMap((v) => v.nodes.slice(0, 4).map((n) => `${v.id}: ${n.html.slice(0, 160)}\n    ${n.any[0]?.message ?? n.failureSummary}`))
  assert.deepEqual(lines, [], what)
}

/** Looks again until it is as wanted; after a minute it is a failure that says how it is. */
export async function expectSoon(look, wanted) {
  const until = Date.now() + 60_000
  let last
  for (;;) {
    last = await look()
    if (wanted(last)) return last
    if (Date.now() > until) assert.fail(`not as wanted: ${JSON.stringify(last)}`)
    await sleep(50)
  }
}
