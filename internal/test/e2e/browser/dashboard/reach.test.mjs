// Everybody can use it: by keyboard, with a screen reader, on a phone, without motion, in both languages.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { desk, expectSoon, go, leave, phone, shoot, show, usable } from './look.mjs'

after(leave)

const screens = { dashboard: '#/', roles: '#/roles', history: '#/history', health: '#/health', detail: '#/?agent=impl-code-1763791030-1f33' }
const ready = { dashboard: '.card', roles: '.role', history: '.run', health: '.step', detail: '.drawer .facts' }

for (const [language, size, name] of [
  ['ja', desk, 'desk'],
  ['en', desk, 'desk'],
  ['ja', phone, 'phone'],
]) {
  test(`${language}, ${name}: no serious fault on any screen, and nothing hangs over the edge`, async (t) => {
    const { page } = await show(t, scenes.rich(language), { language, size, reducedMotion: 'reduce' })
    for (const [screen, hash] of Object.entries(screens)) {
      await go(page, hash)
      await page.locator(ready[screen]).first().waitFor()
      await shoot(page, `${screen}-${language}-${name}`)
      await usable(page, screen)
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${screen} is wider than the window`)
    }
  })
}

test('nothing yet, checks under way, dialogs: no serious fault either', async (t) => {
  const { page } = await show(t, scenes.empty(), { reducedMotion: 'reduce' })
  await shoot(page, 'empty')
  await usable(page, 'empty')
  await go(page, '#/roles')
  await page.getByRole('button', { name: '職種を追加' }).click()
  await page.getByRole('button', { name: '作成' }).click()
  await usable(page, 'a new role')
  await page.getByRole('button', { name: /^職種を削除/ }).first().click()
  await usable(page, 'a question')
  const checking = await show(t, scenes.checking(), { hash: '#/health', reducedMotion: 'reduce' })
  await shoot(checking.page, 'checking')
  await usable(checking.page, 'checks')
})

test('by keyboard alone', async (t) => {
  const { page, server } = await show(t, scenes.rich('en'), { language: 'en' })
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') || document.activeElement?.textContent || '')
  const tabTo = async (wanted) => {
    for (let i = 0; i < 80; i++) {
      await page.keyboard.press('Tab')
      if (wanted.test(await focused())) return
    }
    assert.fail(`${wanted} is not reached`)
  }
  await page.keyboard.press('Tab')
  assert.equal(await focused(), 'Skip to content')
  await page.keyboard.press('Enter')
  await tabTo(/^Running|^3/)
  await page.keyboard.press('Enter')
  await expectSoon(() => page.locator('.card').count(), 3)
  await tabTo(/details of impl-code-1763791210-a3f2/)
  await page.keyboard.press('Enter')
  const drawer = page.locator('.drawer')
  await drawer.waitFor()
  await expectSoon(focused, 'Close')
  await tabTo(/^Overview/)
  await page.keyboard.press('ArrowRight')
  await drawer.getByRole('tab', { name: 'Tools', selected: true }).waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })
  await expectSoon(focused, 'Implementer, details of impl-code-1763791210-a3f2')
  await tabTo(/^Cancel impl-code-1763791210-a3f2/)
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor()
  assert.equal(await focused(), 'Keep')
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').waitFor({ state: 'detached' })
  assert.deepEqual(server.requests, [])
})

test('the language is switched, and remembered', async (t) => {
  const { page } = await show(t, scenes.rich(), { language: 'ja' })
  await page.getByRole('link', { name: 'ダッシュボード' }).waitFor()
  await page.getByRole('button', { name: 'English' }).click()
  await page.getByRole('link', { name: 'Dashboard', exact: false }).first().waitFor()
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en')
  await page.reload()
  await page.getByRole('button', { name: '日本語' }).waitFor()
})

test('without motion where that is wanted', async (t) => {
  const { page } = await show(t, scenes.rich(), { reducedMotion: 'reduce' })
  await expectSoon(() => page.evaluate(() => document.getAnimations().filter((a) => a.playState === 'running').length), 0)
})

test('an end is told to screen readers', async (t) => {
  const { page, world } = await show(t, scenes.rich('en'), { language: 'en' })
  world.end('impl-code-1763791210-a3f2', 'completed', { summary: 'x' })
  await expectSoon(() => page.locator('[aria-live=polite]').last().innerText(), 'impl-code-1763791210-a3f2 has completed')
})
