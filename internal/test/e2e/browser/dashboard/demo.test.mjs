// The real server, with recorded agents, in a real browser.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { expectSoon, go, leave, shoot, usable, visit } from './look.mjs'

const program = process.env.DOUGU_KUROMAJUTSU

after(leave)

const settings = `# The settings of this test.
dashboard:
  language: en # for who prefers neither

roles:
  # Who writes code.
  - id: impl-code
    name: コード実装者 # as it is shown
    model: claude-4-sonnet
    systemPrompt: |
      あなたはコード実装の専門家です。
      仕様に従ってください。
    healthCheckPrompt: "Hello, respond with exactly: OK"
    tools: []

  # Who looks at it.
  - id: code-review
    name: コードレビュワー
    model: claude-4-sonnet
    systemPrompt: |
      レビューしてください。
  - id: text-review
    name: 文章レビュワー
    model: no-such-model # wrong on purpose
    systemPrompt: 文章を見てください。
  - id: impl-test
    name: テスト実装者
    model: claude-4-sonnet
    systemPrompt: テストを書いてください。
`

/** A port that was free a moment ago. */
async function freePort() {
  const server = createServer()
  await new Promise((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address()
  await new Promise((done) => server.close(done))
  return port
}

/** Runs a command of the example and answers where its dashboard is. */
async function run(t, ...args) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, FAKEAGENT_SPEED: process.env.FAKEAGENT_SPEED ?? '3' } })
  const ended = new Promise((done) => child.on('exit', done))
  const stop = async () => {
    child.kill('SIGTERM')
    await ended
  }
  t.after(stop)
  let said = ''
  const url = await new Promise((found, failed) => {
    child.stderr.on('data', (data) => {
      said += data
      const at = /https?:\/\/\S+/.exec(said)
      if (at) found(at[0])
    })
    ended.then(() => failed(new Error(`it has ended: ${said}`)))
  })
  return { url, stop }
}

async function stage(t, text) {
  const dir = await mkdtemp(join(tmpdir(), 'dougu-dashboard-'))
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5 }))
  const file = join(dir, 'kuromajutsu.config.yaml')
  if (text) await writeFile(file, text)
  return file
}

test('the demonstration, on every screen', { timeout: 300_000 }, async (t) => {
  const file = await stage(t)
  const { url } = await run(t, 'demo', '--port', '0', '--config', file)
  const page = await visit(t, url)
  await page.getByText('カート機能の実装・テスト・レビュー').waitFor()
  await page.locator('.card.tone-running .doing').first().waitFor()
  await page.locator('.group').nth(3).waitFor()
  await shoot(page, 'demo-dashboard')
  await page.locator('.card.tone-reported').first().waitFor()
  const id = await page.locator('.card.tone-reported').first().getAttribute('data-agent')
  await page.locator(`[data-agent="${id}"] .card-open`).click()
  const drawer = page.locator('.drawer')
  await drawer.getByRole('heading', { name: 'サマリ' }).waitFor()
  await shoot(page, 'demo-detail')
  await drawer.getByRole('tab', { name: 'ツール' }).click()
  await drawer.locator('.call').first().waitFor()
  await drawer.getByRole('tab', { name: '出力' }).click()
  await drawer.locator('.output-text pre').waitFor()
  await drawer.getByRole('tab', { name: 'ログ' }).click()
  await drawer.locator('.event-result').first().waitFor()
  await drawer.getByRole('tab', { name: '差分' }).click()
  await drawer.locator('.line-added, .output-note').first().waitFor()
  await page.keyboard.press('Escape')

  await page.locator('.tile-failed').click()
  await page.locator('.card.tone-failed').first().waitFor()
  await page.locator('.tile-failed').click()

  await go(page, '#/history')
  await page.locator(`.run[data-agent="${id}"]`).waitFor()
  await shoot(page, 'demo-history')
  await go(page, '#/health')
  await page.getByText('全 4 職種中 4 職種が利用可能です').waitFor()
  await shoot(page, 'demo-health')
  await go(page, '#/roles')
  await page.locator('[data-role="impl-test"]').waitFor()
  await shoot(page, 'demo-roles')
  await usable(page, 'the real roles')
})

test('cancelling a real agent, and deleting a real group', { timeout: 300_000 }, async (t) => {
  const { url } = await run(t, 'demo', '--port', '0', '--config', await stage(t))
  const page = await visit(t, url, { language: 'en' })
  // An agent may end by itself, and its question with it, before somebody has answered.
  const cancel = async () => {
    const card = page.locator('.card').filter({ has: page.getByRole('button', { name: /^Cancel/ }) }).first()
    const id = await card.getAttribute('data-agent')
    await card.getByRole('button', { name: /^Cancel/ }).click()
    const question = page.getByRole('alertdialog')
    await question.getByLabel('Reason (optional)').fill('enough of it', { timeout: 10_000 })
    await question.getByRole('button', { name: 'Cancel', exact: true }).click({ timeout: 10_000 })
    const tone = () => page.locator(`[data-agent="${id}"]`).getAttribute('class')
    await expectSoon(tone, /tone-(cancelled|completed|failed|reported)/)
    assert.match(await tone(), /tone-cancelled/)
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await cancel()
      break
    } catch (e) {
      if (attempt === 5) throw e
    }
  }

  const group = await page.locator('.group').first().getAttribute('data-group')
  await page.locator(`[data-group="${group}"] .group-delete`).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await page.locator(`[data-group="${group}"]`).waitFor({ state: 'detached' })
})

test('roles are written to the file, whose comments stay', { timeout: 300_000 }, async (t) => {
  const file = await stage(t, settings)
  const { url } = await run(t, 'demo', '--port', '0', '--config', file)
  const page = await visit(t, url, { language: 'en' })
  const read = () => readFile(file, 'utf8')

  await go(page, '#/health')
  const broken = page.locator('.health-card[data-role="text-review"]')
  await broken.getByText("model 'no-such-model' is not available").waitFor()
  await broken.locator('.chip').first().click()
  await expectSoon(() => broken.getAttribute('class'), /tone-(running|completed)/)
  await expectSoon(read, (text) => !text.includes('no-such-model') && text.includes('# wrong on purpose'))

  await go(page, '#/roles')
  const role = page.locator('[data-role="impl-code"]')
  await role.getByLabel('System prompt').fill('一行目\n二行目: 「引用」\n')
  await role.getByRole('button', { name: 'Save' }).click()
  await expectSoon(read, /systemPrompt: \|\n +一行目\n +二行目: 「引用」\n/)
  const text = await read()
  for (const comment of ['# The settings of this test.', '# for who prefers neither', '# Who writes code.', '# as it is shown', '# Who looks at it.']) assert.ok(text.includes(comment), comment)

  await page.getByRole('button', { name: 'Add role' }).click()
  const form = page.locator('.role.new')
  await form.getByLabel('Role ID').fill('scribe')
  await form.getByLabel('Name').fill('書記')
  await form.getByLabel('System prompt').fill('議事録を書いてください。')
  await form.getByRole('button', { name: 'Create' }).click()
  await expectSoon(read, /id: scribe/)
  await page.getByRole('button', { name: 'Delete role: 書記' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await expectSoon(read, (now) => !now.includes('scribe'))
  await page.locator('[data-role="scribe"]').waitFor({ state: 'detached' })

  // What is written into the file by hand is seen without a word.
  await writeFile(file, (await read()).replace('name: テスト実装者', 'name: 手で書いた名前'))
  await page.locator('[data-role="impl-test"]').getByRole('heading', { name: '手で書いた名前' }).waitFor()
})

test('a server that is started anew is found again', { timeout: 300_000 }, async (t) => {
  const port = String(await freePort())
  const file = await stage(t)
  const first = await run(t, 'demo', '--no-token', '--port', port, '--config', file)
  const page = await visit(t, first.url, { language: 'en' })
  await page.locator('.card').first().waitFor()
  const old = await page.locator('.card').first().getAttribute('data-agent')
  await first.stop()
  await page.getByRole('alert').waitFor()
  await run(t, 'demo', '--no-token', '--port', port, '--config', file)
  await expectSoon(() => page.getByRole('alert').count(), 0)
  await page.locator('.card').first().waitFor()
  await page.locator(`[data-agent="${old}"]`).waitFor({ state: 'detached' })
})

test('a page without the token says what it needs', { timeout: 300_000 }, async (t) => {
  const { url } = await run(t, 'demo', '--port', '0', '--host', '0.0.0.0', '--config', await stage(t))
  const at = new URL(url)
  at.hostname = '127.0.0.1'
  const token = at.hash
  at.hash = ''
  const page = await visit(t, at.href, { language: 'en' })
  await page.getByRole('alert').getByText('Token required').waitFor()
  await shoot(page, 'demo-refused')
  await page.goto(at.href + token)
  await page.locator('.card').first().waitFor()
  await expectSoon(() => page.getByRole('alert').count(), 0)
  await go(page, '#/history')
  await page.locator('.run').first().waitFor()
})
