// What agents and servers write is shown as text, never as markup. It may still try
// to look like something else, or to be endless.

// Controls, and characters that turn the direction of what follows.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g

/** A text without what cannot be seen, at most so many characters long. */
export function clean(v: unknown, most = 4000): string {
  if (typeof v !== 'string') return ''
  const t = v.slice(0, most * 2).replace(unseen, '').trim()
  return t.length <= most ? t : `${chop(t, 0, most - 1)}…`
}

/** The same in one line. */
export const line = (v: unknown, most = 200) => clean(typeof v === 'string' ? v.slice(0, most * 4).replace(/\s+/g, ' ') : '', most)

/** The end of a text in one line: of what is still being said, that is new. */
export function lastLine(v: string, most = 200): string {
  const t = v.slice(-most * 4).replace(/\s+/g, ' ').trim()
  return t.length <= most && t.length === v.trim().length ? t : `…${chop(t, Math.max(0, t.length - most), t.length)}`
}

// chop does not leave half a character.
function chop(t: string, from: number, to: number): string {
  if (/[\udc00-\udfff]/.test(t.charAt(from))) from++
  if (/[\ud800-\udbff]/.test(t.charAt(to - 1))) to--
  return t.slice(from, to)
}

/** A time that has passed, as people read clocks: 0:07, 12:34, 1:02:03. */
export function clock(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(s / 3600)
  return hours > 0 ? `${hours}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`
}

/** A count in few characters: 940, 12.3k, 4.5M. */
export function count(n: number): string {
  const trim = (s: string) => s.replace(/\.0$/, '')
  if (n < 1000) return String(n)
  return n < 999_950 ? `${trim((n / 1000).toFixed(1))}k` : `${trim((n / 1_000_000).toFixed(1))}M`
}
