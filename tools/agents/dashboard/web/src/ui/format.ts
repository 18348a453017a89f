import type { Language, Words } from '../i18n'
import type { Agent } from '../wire/types'

/** A time that has passed, as people read clocks: 0:07, 12:34, 1:02:03. */
export function clockTime(ms: number): string {
  const s = Math.max(0, Math.floor(ms / 1000))
  const two = (n: number) => String(n).padStart(2, '0')
  const hours = Math.floor(s / 3600)
  const rest = `${two(s % 60)}`
  return hours > 0 ? `${hours}:${two(Math.floor(s / 60) % 60)}:${rest}` : `${Math.floor(s / 60)}:${rest}`
}

/** A short time: 0.8s, 12s, 3m 20s. */
export function shortTime(ms: number): string {
  if (ms < 0 || Number.isNaN(ms)) return ''
  if (ms < 950) return `${Math.max(0.1, Math.round(ms / 100) / 10)}s`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)}s`
  const s = Math.round(ms / 1000)
  if (s < 60) return `${s}s`
  if (s < 3600) return `${Math.floor(s / 60)}m ${s % 60}s`
  return `${Math.floor(s / 3600)}h ${Math.floor(s / 60) % 60}m`
}

/** How long an agent has been running, or has run, in milliseconds; undefined before it has begun. */
export function elapsed(a: Pick<Agent, 'startedAt' | 'endedAt'>, now: number): number | undefined {
  if (!a.startedAt) return undefined
  const from = Date.parse(a.startedAt)
  const to = a.endedAt ? Date.parse(a.endedAt) : now
  return Math.max(0, to - from)
}

export function moment(at: string | undefined, language: Language): string {
  if (!at) return ''
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return ''
  return formatter(language).format(date)
}

const formatters = new Map<Language, Intl.DateTimeFormat>()

function formatter(language: Language): Intl.DateTimeFormat {
  let f = formatters.get(language)
  if (!f) {
    f = new Intl.DateTimeFormat(language === 'ja' ? 'ja-JP' : 'en-GB', {
      year: 'numeric',
      month: language === 'ja' ? '2-digit' : 'short',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    formatters.set(language, f)
  }
  return f
}

/** How long ago something was, in coarse words; the moment itself when it is long ago. */
export function ago(at: string, now: number, w: Words, language: Language): string {
  const minutes = Math.floor((now - Date.parse(at)) / 60_000)
  if (Number.isNaN(minutes)) return ''
  if (minutes < 1) return w.ago.now
  if (minutes < 60) return w.ago.minutes(minutes)
  if (minutes < 60 * 12) return w.ago.hours(Math.floor(minutes / 60))
  return moment(at, language)
}

/** A count in few characters: 940, 12.3k, 4.5M. */
export function count(n: number): string {
  if (n < 1000) return String(n)
  if (n < 999_950) return `${trim((n / 1000).toFixed(1))}k`
  return `${trim((n / 1_000_000).toFixed(1))}M`
}

const trim = (s: string) => s.replace(/\.0$/, '')

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`
  if (n < 1024 * 1024) return `${trim((n / 1024).toFixed(1))} KB`
  return `${trim((n / 1024 / 1024).toFixed(1))} MB`
}

export function dollars(n: number): string {
  return n > 0 && n < 0.01 ? `$${n.toFixed(4)}` : `$${n.toFixed(2)}`
}
