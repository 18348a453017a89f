import { expect, it } from 'vitest'
import { chooseLanguage, words } from '../src/i18n'

function shape(o: object, path = ''): string[] {
  return Object.entries(o).flatMap(([k, v]) => (typeof v === 'object' ? shape(v, `${path}${k}.`) : [`${path}${k}: ${typeof v}`]))
}

it('every language has every word', () => {
  expect(shape(words.en)).toEqual(shape(words.ja))
})

it('no word is empty, and English has no Japanese in it', () => {
  const all = (o: object): string[] => Object.values(o).flatMap((v) => (typeof v === 'function' ? [String(v(2, 3))] : typeof v === 'object' ? all(v) : [v as string]))
  for (const w of [...all(words.ja), ...all(words.en)]) expect(w).not.toBe('')
  expect(all(words.en).filter((w) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(w))).toEqual([])
})

it.each([
  [null, ['ja-JP', 'en'], undefined, 'ja'],
  [null, ['en-GB'], 'ja', 'en'],
  [null, ['fr', 'ja'], 'en', 'ja'],
  [null, ['fr'], undefined, 'en'],
  [null, ['fr'], 'ja', 'ja'],
  ['en', ['ja'], 'ja', 'en'],
  ['xx', ['ja'], '', 'ja'],
] as const)('chosen %s, browser %s, server %s: %s', (saved, browser, server, language) => {
  expect(chooseLanguage(saved, browser, server)).toBe(language)
})
