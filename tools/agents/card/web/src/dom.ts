// Elements are made one by one, and what is not ours is only ever their text.

type Child = Node | string | false | undefined

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const e = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value)
  e.append(...children.filter((c): c is Node | string => c !== undefined && c !== false))
  return e
}

/** Changes a text only if it has changed, so that what is selected stays so. */
export function put(e: Element, text: string): void {
  if (e.textContent !== text) e.textContent = text
}

const ns = 'http://www.w3.org/2000/svg'

/** What an icon is drawn with, on a field of 16 by 16. */
const paths = {
  queued: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M5.3 8h.01M8 8h.01M10.7 8h.01',
  blocked: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M6.4 5.8v4.4M9.6 5.8v4.4',
  running: 'M8 2.2a5.8 5.8 0 0 1 5.8 5.8',
  stalled: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 5.2v3.4M8 10.8h.01',
  completed: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M5.5 8.2l1.8 1.8 3.3-3.7',
  failed: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M6 6l4 4M10 6l-4 4',
  timedOut: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M8 4.9V8l2.1 1.4',
  cancelled: 'M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2M5.6 8h4.8',
  open: 'M6 4l4 4-4 4',
  refresh: 'M13.2 8A5.2 5.2 0 1 1 11.4 4M11.6 1.8V4.2H9.2',
  wide: 'M9.5 2.5h4v4M13.5 2.5L9.3 6.7M6.5 13.5h-4v-4M2.5 13.5l4.2-4.2',
  sigil: 'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2M8 3l2.9 8.9L3.3 6.4h9.4L5.1 11.9z',
} as const

export type Icon = keyof typeof paths

export function icon(name: Icon): SVGSVGElement {
  const svg = document.createElementNS(ns, 'svg')
  svg.setAttribute('viewBox', '0 0 16 16')
  svg.setAttribute('class', `icon icon-${name}`)
  svg.setAttribute('aria-hidden', 'true')
  if (name === 'running') svg.append(path('M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2', 'rail'))
  svg.append(path(paths[name]))
  return svg
}

function path(d: string, name = ''): SVGPathElement {
  const p = document.createElementNS(ns, 'path')
  p.setAttribute('d', d)
  if (name) p.setAttribute('class', name)
  return p
}
