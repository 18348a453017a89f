import { expect, it } from 'vitest'
import { chooseLanguage, words } from '../src/words'

function shape(o: object, path = ''): string[] {
  return Object.entries(o).flatMap(([k, v]) => (typeof v === 'object' ? shape(v, `${path}${k}.`) : [`${path}${k}: ${typeof v}`]))
}

it('every language has every word', () => {
  expect(shape(words.en)).toEqual(shape(words.ja))
})

it('no word is empty, and English has no Japanese in it', () => {
  const all = (o: object): string[] => Object.values(o).flatMap((v) => (typeof v === 'function' ? [String(v(2, 3)), String(v(0, 1))] : typeof v === 'object' ? all(v) : [v as string]))
  for (const w of [...all(words.ja), ...all(words.en)]) expect(w).not.toBe('')
  expect(all(words.en).filter((w) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(w))).toEqual([])
})

it.each([
  [['ja-JP', 'en'], 'ja'],
  [['en-GB', 'ja'], 'en'],
  [['fr', 'ja'], 'ja'],
  [['fr'], 'en'],
  [[undefined, 'jam'], 'en'],
  [[], 'en'],
] as const)('%j is answered in %s', (wanted, language) => {
  expect(chooseLanguage(...wanted)).toBe(language)
})
