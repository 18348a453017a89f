import { elapsedAt, ended, stateOf, toneOf } from './agents'
import type { Agent, Tone } from './agents'
import { detail } from './detail'
import { el, icon, put } from './dom'
import { clock, lastLine, line } from './text'
import type { Words } from './words'

/** What a row can have done. */
export interface Actions {
  inspect(id: string, wanted: boolean): void
  cancel(id: string): Promise<void>
  announce(text: string): void
}

let rows = 0

/** An agent: a line that opens into everything about it. */
export class Row {
  readonly element: HTMLLIElement
  readonly head: HTMLButtonElement
  private readonly mark = el('span', { class: 'mark' })
  private readonly role = el('bdi', { class: 'role' })
  private readonly id = el('bdi', { class: 'id' })
  private readonly state = el('span', { class: 'state' })
  private readonly calls = el('span', { class: 'calls' })
  private readonly time = el('span', { class: 'time' })
  private readonly said = el('span', { class: 'said' })
  private readonly body: HTMLDivElement
  private readonly inside = el('div', { class: 'inside' })
  private readonly foot = el('div', { class: 'foot' })
  private tone: Tone | undefined
  private word = ''
  private shown = '' // what the body was made of
  private agent!: Agent

  constructor(
    private w: Words,
    private readonly actions: Actions,
    private readonly callable: () => boolean,
  ) {
    const id = `agent-${++rows}`
    this.body = el('div', { class: 'body', id, role: 'group' }, this.inside, this.foot)
    this.body.hidden = true
    this.head = el(
      'button',
      { class: 'head', type: 'button', 'aria-expanded': 'false', 'aria-controls': id },
      this.mark,
      el('span', { class: 'who' }, this.role, this.id),
      this.state,
      el('span', { class: 'facts' }, this.calls, this.time),
      this.said,
      icon('open'),
    )
    this.head.addEventListener('click', () => this.toggle(!this.isOpen))
    this.element = el('li', { class: 'row' }, this.head, this.body)
    this.element.addEventListener('keydown', (e) => {
      if (e.key !== 'Escape' || !this.isOpen) return
      e.stopPropagation()
      this.toggle(false)
      this.head.focus()
    })
  }

  get isOpen(): boolean {
    return !this.body.hidden
  }

  toggle(open: boolean): void {
    this.body.hidden = !open
    this.head.setAttribute('aria-expanded', String(open))
    this.actions.inspect(this.agent.id, open)
    this.update(this.agent, Date.now(), this.w)
  }

  update(a: Agent, now: number, w: Words): void {
    this.agent = a
    const tone = toneOf(a)
    const word = w.status[stateOf(a)]
    if (tone !== this.tone) {
      this.element.className = `row tone-${tone}${this.tone && ended(a) ? ' just' : ''}`
      this.mark.replaceChildren(icon(tone))
    }
    if (this.word && word !== this.word && ended(a)) this.actions.announce(w.announce(a.id, word))
    this.tone = tone
    this.word = word
    this.element.dataset.agent = a.id
    put(this.role, a.role || a.id)
    put(this.id, a.role ? a.id : '')
    put(this.state, word)
    put(this.calls, w.calls(a.calls))
    this.calls.hidden = a.calls === 0
    this.tick(now)
    put(this.said, summary(a, w))
    this.said.classList.toggle('quiet', !ended(a) && !a.said && !a.doing)
    if (this.isOpen) this.fill(w)
    this.w = w
  }

  /** Time has passed. */
  tick(now: number): void {
    const ms = elapsedAt(this.agent, now)
    put(this.time, ms > 0 ? clock(ms) : '')
  }

  private fill(w: Words): void {
    const now = JSON.stringify([this.agent, w.title], (key, value: unknown) => (key === 'at' || key === 'elapsed' ? undefined : value))
    if (now === this.shown) return
    this.shown = now
    this.body.setAttribute('aria-label', this.agent.id)
    this.inside.replaceChildren(...detail(this.agent, w))
    const cancellable = this.callable() && !ended(this.agent)
    if (!cancellable) this.foot.replaceChildren()
    else if (!this.foot.firstChild) this.offer(w)
  }

  private offer(w: Words, focus = false): void {
    const button = el('button', { type: 'button', class: 'button', 'aria-label': w.cancelOf(this.agent.id) }, w.cancel)
    button.addEventListener('click', () => this.ask(w))
    this.foot.replaceChildren(button)
    if (focus) button.focus()
  }

  private ask(w: Words): void {
    const yes = el('button', { type: 'button', class: 'button danger' }, w.cancelYes)
    const no = el('button', { type: 'button', class: 'button' }, w.cancelNo)
    no.addEventListener('click', () => this.offer(w, true))
    yes.addEventListener('click', () => {
      yes.disabled = no.disabled = true
      this.actions.cancel(this.agent.id).then(
        () => this.foot.replaceChildren(),
        (e: Error) => {
          this.offer(w, true)
          this.foot.append(el('p', { class: 'wrong', role: 'alert' }, `${w.cancelFailed}: ${line(e.message, 300)}`))
        },
      )
    })
    this.foot.replaceChildren(el('p', {}, w.cancelAsk), yes, no)
    no.focus()
  }
}

/** What an agent does, or has done, in a line. */
function summary(a: Agent, w: Words): string {
  if (ended(a)) return line(a.error && toneOf(a) !== 'completed' ? a.error : a.result?.summary || a.error || a.said, 240)
  if (a.said) return lastLine(a.said, 160)
  if (a.doing) return a.doing
  const call = a.recent.at(-1)
  if (call) return line(`${call.name} ${call.subject}`)
  if (a.status === 'blocked') return w.quiet.blocked(a.waitsFor)
  if (a.status === 'queued') return w.quiet.queued
  return a.full ? w.quiet.running : '' // it may have said something that a list does not tell
}
