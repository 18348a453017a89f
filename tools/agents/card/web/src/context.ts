// The surroundings that a host tells of: colours, language, size.

import { members, number, strings } from './json'
import type { Members } from './json'
import { chooseLanguage } from './words'
import type { Language } from './words'

/** The variables of a host that the style sheet knows. */
const known = /^--(color-(background|text|border|ring)-[a-z]+|font-(sans|mono)|border-radius-[a-z]+)$/

/** What a value of a variable may look like: it loads nothing. */
const harmless = /^[\w\s#.,%()'"/+-]{1,200}$/

export interface Surroundings {
  language: Language
  canWiden: boolean
  isWide: boolean
}

/** Makes the page fit its surroundings. */
export function surround(context: Members, root: HTMLElement, browser: readonly string[]): Surroundings {
  if (context.theme === 'light' || context.theme === 'dark') root.dataset.theme = context.theme
  for (const [name, value] of Object.entries(members(members(context.styles)?.variables) ?? {})) {
    if (known.test(name) && typeof value === 'string' && harmless.test(value) && !/url|image|src/i.test(value)) root.style.setProperty(name, value)
  }
  const size = members(context.containerDimensions)
  const fixed = number(size?.height) > 0
  const most = number(size?.maxHeight)
  const isWide = context.displayMode === 'fullscreen'
  root.dataset.fill = String(fixed || isWide)
  if (most > 0) root.style.setProperty('--most', `${Math.max(160, most)}px`)
  const locale = typeof context.locale === 'string' ? context.locale : undefined
  return {
    language: chooseLanguage(locale, ...(locale ? [] : browser)),
    canWiden: strings(context.availableDisplayModes, 10).includes('fullscreen'),
    isWide,
  }
}
