import { ended, toneOf } from './agents'
import type { Agent, Tone } from './agents'
import { el, icon, put } from './dom'
import { Row } from './row'
import type { Actions } from './row'
import type { Watch } from './watch'
import { words } from './words'
import type { Language } from './words'

export interface CardOptions extends Pick<Actions, 'cancel' | 'inspect'> {
  watch: Watch
  refresh(): void
  more(): void
  wide(): void
}

/** The order in which the states are counted, and drawn in the bar. */
const kinds = {
  done: ['completed'],
  failed: ['failed', 'timedOut', 'cancelled'],
  running: ['running', 'stalled'],
  waiting: ['queued', 'blocked'],
} as const satisfies Record<string, readonly Tone[]>

/** The card as it is seen. */
export class Card {
  language: Language = 'en'
  canWiden = false
  isWide = false
  notice = '' // instead of everything else
  private readonly rows = new Map<string, Row>()
  private readonly title = el('h1')
  private readonly tally = el('p', { class: 'tally' })
  private readonly light = el('span', { class: 'light' })
  private readonly refresh = el('button', { type: 'button', class: 'tool' }, icon('refresh'))
  private readonly widen = el('button', { type: 'button', class: 'tool' }, icon('wide'))
  private readonly bar = el('div', { class: 'bar', role: 'img' })
  private readonly segments = new Map<string, HTMLElement>()
  private readonly list = el('ul', { class: 'rows' })
  private readonly more = el('button', { type: 'button', class: 'button more' })
  private readonly note = el('p', { class: 'note' })
  private readonly wrong = el('p', { class: 'note wrong' })
  private readonly said = el('p', { class: 'visually-hidden', role: 'status' })
  private first = true

  constructor(
    root: HTMLElement,
    private readonly o: CardOptions,
  ) {
    for (const kind of Object.keys(kinds)) {
      const segment = el('span', { class: `segment kind-${kind}` })
      this.segments.set(kind, segment)
      this.bar.append(segment)
    }
    this.refresh.addEventListener('click', () => o.refresh())
    this.widen.addEventListener('click', () => o.wide())
    this.more.addEventListener('click', () => o.more())
    this.list.addEventListener('keydown', (e) => this.move(e))
    root.append(
      el('header', {}, icon('sigil'), this.title, this.tally, el('span', { class: 'tools' }, this.light, this.refresh, this.widen), this.bar),
      this.list,
      this.more,
      this.wrong,
      this.note,
      this.said,
    )
  }

  render(now: number): void {
    const { watch } = this.o
    const w = words[this.language]
    document.documentElement.lang = this.language
    document.title = w.title
    const { agents, more } = watch.rows()
    put(this.title, w.title)
    this.count([...watch.agents.values()], w)
    this.status(now, w)
    for (const button of [
      [this.refresh, w.refresh],
      [this.widen, this.isWide ? w.narrow : w.wide],
    ] as const) {
      button[0].title = button[1]
      button[0].setAttribute('aria-label', button[1])
    }
    this.refresh.hidden = !watch.callable
    this.widen.hidden = !this.canWiden
    this.arrange(agents, now)
    put(this.more, w.more(more))
    this.more.hidden = more === 0 || !watch.callable
    const waiting = watch.phase === 'starting' && agents.length === 0
    put(this.wrong, watch.problem)
    this.wrong.hidden = !watch.problem
    put(this.note, this.notice || (waiting ? w.starting : agents.length === 0 ? (watch.problem ? '' : watch.text || w.none) : watch.callable ? '' : w.noTools))
    this.note.hidden = this.note.textContent === ''
  }

  /** Time has passed. */
  tick(now: number): void {
    for (const row of this.rows.values()) row.tick(now)
  }

  private count(all: Agent[], w: (typeof words)[Language]): void {
    const tones = all.map(toneOf)
    const parts: Node[] = []
    for (const [kind, of] of Object.entries(kinds)) {
      const n = tones.filter((t) => (of as readonly Tone[]).includes(t)).length
      const segment = this.segments.get(kind)!
      segment.style.flexGrow = String(n)
      segment.hidden = n === 0
      if (n > 0) parts.push(el('span', { class: `chip kind-${kind}` }, `${w.tally[kind as keyof typeof kinds]} ${n}`))
    }
    this.tally.replaceChildren(...parts.reverse())
    this.bar.hidden = all.length < 2
    this.bar.setAttribute('aria-label', w.progress(all.filter(ended).length, all.length))
  }

  private status(now: number, w: (typeof words)[Language]): void {
    const { watch } = this.o
    const phase = watch.phase === 'starting' ? 'live' : watch.phase
    this.light.className = `light ${phase}`
    this.light.hidden = this.notice !== ''
    put(this.light, phase === 'live' ? w.live : phase === 'away' ? w.away : w.still)
    const when = new Date(watch.updated || now).toLocaleTimeString(this.language === 'ja' ? 'ja-JP' : 'en-GB')
    this.light.title = phase === 'live' ? w.liveHint : w.stillHint(when)
  }

  private arrange(agents: Agent[], now: number): void {
    const w = words[this.language]
    const ids = new Set(agents.map((a) => a.id))
    for (const [id, row] of this.rows) {
      if (ids.has(id)) continue
      row.element.remove()
      this.rows.delete(id)
    }
    let at: Element | null = this.list.firstElementChild
    for (const a of agents) {
      let row = this.rows.get(a.id)
      if (!row) {
        row = new Row(w, { inspect: this.o.inspect, cancel: this.o.cancel, announce: (text) => put(this.said, text) }, () => this.o.watch.callable)
        this.rows.set(a.id, row)
      }
      row.update(a, now, w)
      if (row.element !== at) this.list.insertBefore(row.element, at)
      else at = at.nextElementSibling
    }
    this.list.hidden = agents.length === 0
    // A call that is about one agent shows everything about it.
    if (this.first && agents.length > 0) {
      this.first = false
      if (agents.length === 1 && this.o.watch.rows().more === 0) this.rows.get(agents[0]!.id)!.toggle(true)
    }
  }

  private move(e: KeyboardEvent): void {
    const heads = [...this.rows.values()].map((r) => r.head).sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1))
    const at = heads.indexOf(e.target as HTMLButtonElement)
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: heads.length - 1 }[e.key]
    if (at < 0 || to === undefined) return
    e.preventDefault()
    heads[Math.min(Math.max(to, 0), heads.length - 1)]!.focus()
  }
}
