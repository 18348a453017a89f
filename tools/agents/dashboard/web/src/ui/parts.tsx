import { memo, useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { createPortal } from 'react-dom'
import { useApp, useNow } from '../state/app'
import type { Agent } from '../wire/types'
import { clockTime, elapsed } from './format'
import { Icon } from './icons'
import type { IconName } from './icons'
import { stateWord, toneOf } from './tone'
import type { Tone } from './tone'

const toneIcons: Record<Tone, IconName> = {
  queued: 'hourglass',
  blocked: 'chain',
  running: 'bolt',
  stalled: 'silence',
  completed: 'check',
  reported: 'check',
  failed: 'cross',
  timedOut: 'warning',
  cancelled: 'stop',
}

/** The state of an agent in a word, a sign and a colour. */
export function StatusBadge({ agent }: { agent: Agent }) {
  const { words } = useApp()
  const tone = toneOf(agent)
  return (
    <span className={`badge tone-${tone}`}>
      <span className="badge-sign">
        <Icon name={toneIcons[tone]} size={12} />
      </span>
      {stateWord(agent, words)}
    </span>
  )
}

/** How long an agent has been running; counts while it runs. */
export const Elapsed = memo(function Elapsed({ agent }: { agent: Pick<Agent, 'startedAt' | 'endedAt'> }) {
  const now = useNow(Boolean(agent.startedAt) && !agent.endedAt)
  const ms = elapsed(agent, now)
  return <>{ms === undefined ? '–:––' : clockTime(ms)}</>
})

/** A text to be copied at a press. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const { words } = useApp()
  const [done, setDone] = useState(false)
  useEffect(() => {
    if (!done) return
    const timer = setTimeout(() => setDone(false), 1400)
    return () => clearTimeout(timer)
  }, [done])
  const copy = () => {
    void writeClipboard(text).then(() => setDone(true))
  }
  return (
    <button type="button" className="copy" onClick={copy} aria-label={`${words.copy.copy}: ${label ?? text}`} title={done ? words.copy.copied : words.copy.copy}>
      <Icon name={done ? 'check' : 'copy'} size={13} />
    </button>
  )
}

// Over plain HTTP from another machine there is no clipboard to write to but the old one.
async function writeClipboard(text: string) {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}

/** A window above the page that keeps the focus; Escape and a press beside it close it. */
export function Modal(props: {
  className: string
  label: string
  onClose(): void
  children: ReactNode
  role?: 'alertdialog'
}) {
  const ref = useRef<HTMLDialogElement>(null)
  const { onClose } = props
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const before = document.activeElement
    if (!dialog.open) {
      if (dialog.showModal) dialog.showModal()
      else dialog.setAttribute('open', '')
    }
    dialog.querySelector<HTMLElement>('[data-focus]')?.focus()
    return () => {
      dialog.close?.()
      // What had the focus may be gone, or drawn anew.
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  // Outside of everything: a form may ask a question, and no form lies in another.
  return createPortal(
    <dialog
      ref={ref}
      className={props.className}
      aria-label={props.label}
      role={props.role}
      onCancel={(e) => {
        e.preventDefault()
        onClose()
      }}
      onMouseDown={(e) => {
        if (e.target === e.currentTarget) onClose()
      }}
    >
      {props.children}
    </dialog>,
    document.body,
  )
}

/** A question that has to be answered before something is done. */
export function Confirm(props: {
  title: string
  text: ReactNode
  action: string
  field?: string
  onDone(answer: string | null): void
}) {
  const { words } = useApp()
  const [value, setValue] = useState('')
  return (
    <Modal className="confirm" label={props.title} role="alertdialog" onClose={() => props.onDone(null)}>
      <form
        onSubmit={(e) => {
          e.preventDefault()
          e.stopPropagation()
          props.onDone(value)
        }}
      >
        <h2>
          <Icon name="warning" size={20} />
          {props.title}
        </h2>
        <div className="confirm-text">{props.text}</div>
        {props.field && (
          <label className="field">
            <span>{props.field}</span>
            <input value={value} maxLength={500} onChange={(e) => setValue(e.target.value)} />
          </label>
        )}
        <div className="confirm-buttons">
          <button type="button" className="button" onClick={() => props.onDone(null)} data-focus>
            {words.dialog.cancel}
          </button>
          <button type="submit" className="button danger">
            {props.action}
          </button>
        </div>
      </form>
    </Modal>
  )
}

export function Spinner({ size = 14 }: { size?: number }) {
  return <span className="spinner" style={{ width: size, height: size }} aria-hidden />
}

/** What is shown where there is nothing. */
export function Empty({ title, text, children }: { title: string; text?: string; children?: ReactNode }) {
  return (
    <div className="empty">
      {children}
      <p className="empty-title">{title}</p>
      {text && <p className="empty-text">{text}</p>}
    </div>
  )
}
