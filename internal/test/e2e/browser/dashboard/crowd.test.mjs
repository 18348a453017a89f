// Two hundred agents at once, each of them talking.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import * as scenes from '../../../../../tools/agents/dashboard/web/test/mock/scenes.mjs'
import { expectSoon, leave, shoot, show } from './look.mjs'

after(leave)

test('only what can be seen is drawn, wherever the reader is', async (t) => {
  const { page } = await show(t, scenes.crowd('ja', 200))
  const cards = () => page.locator('.card').count()
  assert.ok((await cards()) < 60, `${await cards()} cards`)
  await shoot(page, 'crowd')
  const last = page.locator('.group').last()
  await page.evaluate(() => scrollTo({ top: document.body.scrollHeight }))
  await last.locator('.card').last().waitFor()
  assert.ok((await cards()) < 60, `${await cards()} cards`)
  assert.deepEqual(await last.locator('li').last().evaluate((e) => [e.ariaPosInSet, e.ariaSetSize]), ['25', '25'])
})

test('the page follows eight hundred updates a second, and draws no more than frames', async (t) => {
  const world = scenes.crowd('en', 200)
  const { page } = await show(t, world, { language: 'en' })
  await page.evaluate(() => {
    globalThis.seen = { frames: 0, longest: 0 }
    let last = performance.now()
    const frame = (at) => {
      seen.frames++
      seen.longest = Math.max(seen.longest, at - last)
      last = at
      requestAnimationFrame(frame)
    }
    requestAnimationFrame(frame)
  })
  const ids = [...world.agents.keys()]
  const started = Date.now()
  for (let i = 0; Date.now() - started < 3000; i++) {
    for (let k = 0; k < 40; k++) {
      const id = ids[(i * 40 + k) % ids.length]
      world.update(id, { lastAssistantMessage: `round ${i}` })
    }
    await new Promise((done) => setTimeout(done, 50))
  }
  const shown = await page.locator('.card').first().getAttribute('data-agent')
  world.update(shown, { lastAssistantMessage: 'the last word' })
  await page.locator(`[data-agent="${shown}"]`).getByText('the last word').waitFor()
  const seen = await page.evaluate(() => globalThis.seen)
  t.diagnostic(`${seen.frames} frames, the longest ${Math.round(seen.longest)} ms`)
  assert.ok(seen.frames > 0)
})

test('how long an event takes to the eye', async (t) => {
  const world = scenes.crowd('en', 50)
  const { page } = await show(t, world, { language: 'en' })
  const id = await page.locator('.card').first().getAttribute('data-agent')
  scenes.enliven(world, 200, id)
  const delays = []
  for (let i = 0; i < 60; i++) {
    const message = `word ${i}`
    const seen = page.evaluate(
      ([id, message]) =>
        new Promise((done) => {
          const card = document.querySelector(`[data-agent="${id}"]`)
          const look = () => card.textContent.includes(message) && (observer.disconnect(), done(Date.now()))
          const observer = new MutationObserver(look)
          observer.observe(card, { subtree: true, characterData: true, childList: true })
        }),
      [id, message],
    )
    await page.evaluate(() => 0)
    const said = Date.now()
    world.update(id, { lastAssistantMessage: message })
    delays.push((await seen) - said)
  }
  delays.sort((a, b) => a - b)
  t.diagnostic(`event to eye: median ${delays[30]} ms, p95 ${delays[57]} ms`)
  assert.ok(delays[57] < 10_000)
})

test('a card of which nothing was said is not touched', async (t) => {
  const { page, world } = await show(t, scenes.crowd('en', 20), { language: 'en' })
  const [one, other] = await page.locator('.card').evaluateAll((cards) => cards.slice(0, 2).map((c) => c.getAttribute('data-agent')))
  await page.evaluate((id) => {
    globalThis.touched = []
    new MutationObserver((changes) => touched.push(...changes.map((c) => c.target.textContent))).observe(document.querySelector(`[data-agent="${id}"]`), { subtree: true, childList: true, attributes: true })
  }, other)
  for (let i = 0; i < 30; i++) world.update(one, { lastAssistantMessage: `thought ${i}` })
  await page.getByText('thought 29').waitFor()
  assert.deepEqual(await page.evaluate(() => globalThis.touched), [])
})
