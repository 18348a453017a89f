import './style.css'
import { Card } from './card'
import { surround } from './context'
import { Connection } from './host'
import { members, string } from './json'
import type { Members } from './json'
import { Watch } from './watch'
import { words } from './words'

const protocolVersion = '2026-01-26'

/** Begins: the page and its host get to know each other, then what is shown comes with the results of tools. */
export async function begin(own: Window & typeof globalThis, parent: Window): Promise<void> {
  const root = own.document.getElementById('card')!
  const html = own.document.documentElement
  let context: Members = {}
  let seen = true
  const host = new Connection(own, parent)
  const draw = drawing(() => card.render(Date.now()))
  const watch = new Watch({ host, changed: draw, visible: () => seen && !own.document.hidden })
  const fit = (news: unknown) => {
    context = { ...context, ...members(news) }
    Object.assign(card, surround(context, html, own.navigator.languages))
    draw()
  }
  const card: Card = new Card(root, {
    watch,
    refresh: () => watch.refresh(),
    more: () => watch.more(),
    inspect: (id, wanted) => watch.inspect(id, wanted),
    cancel: (id) => watch.cancel(id),
    wide: () => void host.request('ui/request-display-mode', { mode: card.isWide ? 'inline' : 'fullscreen' }).then((r) => fit({ displayMode: members(r)?.mode }), () => {}),
  })
  fit({})

  host
    .on('ui/notifications/tool-input', (p) => watch.input(p))
    .on('ui/notifications/tool-result', (p) => watch.result(p))
    .on('ui/notifications/tool-cancelled', () => {
      if (watch.agents.size > 0) return
      card.notice = words[card.language].over
      draw()
    })
    .on('ui/notifications/host-context-changed', fit)
    .on('ping', () => ({}))
    .on('ui/resource-teardown', () => {
      watch.stop()
      clearInterval(second)
    })
  const second = setInterval(() => card.tick(Date.now()), 1000)
  own.document.addEventListener('visibilitychange', () => watch.wake())
  if ('IntersectionObserver' in own) {
    new own.IntersectionObserver((entries) => {
      seen = entries.at(-1)?.isIntersecting ?? true
      if (seen) watch.wake()
    }).observe(root)
  }

  let answer: Members | undefined
  try {
    if (own === parent) throw new Error('there is no host')
    answer = members(
      await host.request('ui/initialize', {
        appInfo: { name: 'kuromajutsu-agents', title: 'Kuromajutsu', version: '1.0.0' },
        appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
        protocolVersion,
      }),
    )
  } catch {
    card.notice = words[card.language].notHere
    draw()
    return
  }
  fit(answer?.hostContext)
  host.notify('ui/notifications/initialized', {})
  watch.begin(members(members(answer?.hostCapabilities)?.serverTools) !== undefined, string(members(members(context.toolInfo)?.tool)?.name))
  if ('ResizeObserver' in own) new own.ResizeObserver(measuring(root, (size) => host.notify('ui/notifications/size-changed', size))).observe(root)
}

/** Draws once, however often that is asked for before. */
function drawing(draw: () => void): () => void {
  let planned = false
  return () => {
    if (planned) return
    planned = true
    queueMicrotask(() => {
      planned = false
      draw()
    })
  }
}

/** Tells of a size that has changed. */
function measuring(root: HTMLElement, tell: (size: { width: number; height: number }) => void): () => void {
  let last = ''
  return () => {
    const box = root.getBoundingClientRect()
    const size = { width: Math.ceil(box.width), height: Math.ceil(box.height) }
    if (box.width < 40 || JSON.stringify(size) === last) return // it is not shown yet, or not any more
    last = JSON.stringify(size)
    tell(size)
  }
}

if (!import.meta.env?.VITEST) void begin(window, window.parent)
