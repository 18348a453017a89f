import { describe, expect, it } from 'vitest'
import { clean, clock, count, lastLine, line } from '../src/text'

describe('texts of others', () => {
  it('lose what cannot be seen, and nothing else', () => {
    expect(clean('a\u202eb\u0000c\u001b[31m\ufeff <b>日本</b>\n\t行')).toBe('abc[31m <b>日本</b>\n\t行')
    expect(line('a\r\n  b\u2028c')).toBe('a b c')
  })

  it('are bounded, and no character is halved', () => {
    expect(clean('x'.repeat(1e7), 10)).toBe(`${'x'.repeat(9)}…`)
    for (let n = 2; n < 12; n++) {
      expect(clean('😀'.repeat(100), n).isWellFormed(), `clean ${n}`).toBe(true)
      expect(lastLine('😀'.repeat(100), n).isWellFormed(), `lastLine ${n}`).toBe(true)
    }
    expect(lastLine('one two\nthree', 100)).toBe('one two three')
    expect(lastLine('one two\nthree', 5)).toBe('…three')
  })

  it('may be no texts at all', () => {
    for (const v of [undefined, null, 5, {}, ['a']]) expect([clean(v), line(v)]).toEqual(['', ''])
  })
})

it.each([
  [-5, '0:00'],
  [7000, '0:07'],
  [754_000, '12:34'],
  [3_723_000, '1:02:03'],
])('%d ms is %s', (ms, text) => expect(clock(ms)).toBe(text))

it.each([
  [940, '940'],
  [12_345, '12.3k'],
  [999_960, '1M'],
  [4_500_000, '4.5M'],
])('%d is %s', (n, text) => expect(count(n)).toBe(text))
