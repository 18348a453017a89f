import { useSyncExternalStore } from 'react'

export const screens = ['dashboard', 'roles', 'history', 'health'] as const
export type Screen = (typeof screens)[number]

/** Where the page is: a screen, and what is chosen on it. */
export interface Route {
  screen: Screen
  params: URLSearchParams
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2)
  const screen = screens.find((s) => s === path) ?? 'dashboard'
  return { screen, params: new URLSearchParams(query) }
}

export function routeHash(screen: Screen, params?: URLSearchParams | Record<string, string>): string {
  const query = new URLSearchParams(params).toString()
  return `#/${screen === 'dashboard' ? '' : screen}${query ? `?${query}` : ''}`
}

/** Goes somewhere else; params that are undefined are taken out of those of now. */
export function choose(params: Record<string, string | undefined>, how: 'push' | 'replace' = 'push') {
  const route = parseRoute(location.hash)
  for (const [key, value] of Object.entries(params)) {
    if (value) route.params.set(key, value)
    else route.params.delete(key)
  }
  const hash = routeHash(route.screen, route.params)
  if (hash === location.hash) return
  if (how === 'push') history.pushState(null, '', hash)
  else history.replaceState(null, '', hash)
  for (const l of listeners) l()
}

const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener('hashchange', listener)
  addEventListener('popstate', listener)
  return () => {
    listeners.delete(listener)
    removeEventListener('hashchange', listener)
    removeEventListener('popstate', listener)
  }
}

let last = { hash: '', route: parseRoute('') }

function current(): Route {
  if (last.hash !== location.hash) last = { hash: location.hash, route: parseRoute(location.hash) }
  return last.route
}

export function useRoute(): Route {
  return useSyncExternalStore(subscribe, current)
}
