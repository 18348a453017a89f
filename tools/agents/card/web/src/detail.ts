import { ended } from './agents'
import type { Agent, Result } from './agents'
import { el } from './dom'
import { count } from './text'
import type { Words } from './words'

/** Everything about an agent. */
export function detail(a: Agent, w: Words): Node[] {
  const d = w.detail
  const parts: (Node | false | undefined)[] = [
    Boolean(a.error) && section(d.error, text(a.error, 'wrong')),
    a.result && Boolean(a.result.summary) && section(d.summary, text(a.result.summary)),
    !ended(a) && Boolean(a.said) && section(d.said, text(a.said)),
    a.result && files(a.result, w),
    a.recent.length > 0 && section(d.doing, calls(a, w)),
    !a.full && el('p', { class: 'quiet' }, d.loading),
    facts(a, w),
  ]
  return parts.filter((p): p is Node => Boolean(p))
}

function section(title: string, ...inside: Node[]): Node {
  return el('section', {}, el('h3', {}, title), ...inside)
}

/** A text of any length, which scrolls if it is long, also without a mouse. */
function text(of: string, more = ''): Node {
  const long = of.length > 200 || of.split('\n').length > 8
  return el('p', { class: `text ${more}`, ...(long && { tabindex: '0' }) }, of)
}

function calls(a: Agent, w: Words): Node {
  return el(
    'ul',
    { class: 'list' },
    ...a.recent.map((c) =>
      el(
        'li',
        { class: c.failed ? 'wrong' : c.done ? '' : 'busy' },
        el('bdi', { class: 'kind' }, c.name),
        ' ',
        el('bdi', { class: 'subject' }, c.subject),
        c.failed && ` (${w.detail.failed})`,
      ),
    ),
  )
}

const few = 8

function files(r: Result, w: Words): Node | undefined {
  const d = w.detail
  const all = [
    ...r.created.map((f) => [d.created, f, '+']),
    ...r.edited.map((f) => [d.edited, f, '~']),
    ...r.deleted.map((f) => [d.deleted, f, '−']),
  ] as [string, string, string][]
  if (all.length === 0) return undefined
  const rest = all.length - few + r.more
  return section(
    d.files,
    el(
      'ul',
      { class: 'list' },
      ...all.slice(0, few).map(([what, file, sign]) => el('li', {}, el('span', { class: 'kind', title: what, role: 'img', 'aria-label': what }, sign), ' ', el('bdi', { class: 'subject' }, file))),
      rest > 0 && el('li', { class: 'quiet' }, d.moreFiles(rest)),
    ),
  )
}

function facts(a: Agent, w: Words): Node {
  const d = w.detail
  const all: [string, string][] = [
    [d.id, a.role ? a.id : ''],
    [d.group, a.group],
    [d.model, a.model],
    [d.branch, a.result?.branch ?? ''],
    [d.tokens, a.tokens ? d.tokensOf(count(a.tokens[0]), count(a.tokens[1])) : ''],
    [d.cost, a.cost > 0 ? `$${a.cost.toFixed(a.cost < 0.1 ? 4 : 2)}` : ''],
  ]
  return el('dl', { class: 'facts-list' }, ...all.filter(([, v]) => v !== '').map(([k, v]) => el('div', {}, el('dt', {}, k), el('dd', {}, el('bdi', {}, v)))))
}
