// @vitest-environment node
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const html = readFileSync(new URL('../dist/card.html', import.meta.url), 'utf8')

it('what is built runs its own script and style, and nothing else', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)![1]!
  const script = /<script type="module">([^]*)<\/script>/.exec(html)![1]!
  const style = /<style>([^]*)<\/style>/.exec(html)![1]!
  const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  expect(policy).toBe(`default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`)
  expect(html.indexOf('Content-Security-Policy')).toBeLessThan(html.indexOf('<style>'))
  expect(html.match(/<(script|style|link|img|iframe)/g)).toEqual(['<style', '<script'])
  expect(html.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|\/\/[a-z]|@import|url\(|innerHTML|insertAdjacentHTML|document\.write|\beval\b/)
  expect(html.length).toBeLessThan(60_000)
})
