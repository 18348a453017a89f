const key = 'kuromajutsu.token'

/**
 * Takes the token from the address, `#token=…`, and out of it, so that it is neither
 * seen nor bookmarked; it is kept for this tab only.
 */
export function takeToken(location: Location, history: History, session: Storage): string {
  const found = /^#(.*[?&])?token=([^&]*)(.*)$/.exec(location.hash)
  if (!found) return session.getItem(key) ?? ''
  const token = decode(found[2] ?? '')
  session.setItem(key, token)
  const rest = (found[1] ?? '').replace(/[?&]$/, '')
  history.replaceState(null, '', `${location.pathname}${location.search}#${rest.startsWith('/') ? rest : '/'}`)
  return token
}

function decode(s: string): string {
  try {
    return decodeURIComponent(s)
  } catch {
    return s
  }
}
