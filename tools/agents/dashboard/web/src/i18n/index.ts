import { en } from './en'
import { ja } from './ja'
import type { Words } from './ja'

export type { Words }
export type Language = 'ja' | 'en'

export const words: Record<Language, Words> = { ja, en }

const key = 'kuromajutsu.language'

/** The language that was chosen, else the one that the browser prefers, else the server's. */
export function chooseLanguage(saved: string | null, browser: readonly string[], server: string | undefined): Language {
  for (const l of [saved, ...browser, server]) {
    if (/^ja\b/i.test(l ?? '')) return 'ja'
    if (/^en\b/i.test(l ?? '')) return 'en'
  }
  return 'en'
}

export function savedLanguage(): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function saveLanguage(l: Language) {
  try {
    localStorage.setItem(key, l)
  } catch {
    // A browser that keeps nothing asks again next time.
  }
}
