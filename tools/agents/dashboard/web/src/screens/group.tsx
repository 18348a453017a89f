import { memo, useId, useRef, useState } from 'react'
import { useApp, useData, useNow, useWritable } from '../state/app'
import type { Data, Tally } from '../state/reduce'
import { ended } from '../wire/types'
import { ago } from '../ui/format'
import { Icon } from '../ui/icons'
import { Confirm, Copy } from '../ui/parts'
import { useGrid } from '../ui/window'
import { AgentCard, cardHeight } from './card'
import { fits } from './dashboard'
import type { Filter } from './dashboard'

const none: readonly string[] = []
const empty: Tally = { total: 0, waiting: 0, running: 0, done: 0, failed: 0, cancelled: 0 }

interface Props {
  id: string
  open: boolean
  onToggle(id: string): void
  filter: Filter
  text: string
}

/** A group with its agents. The one without an ID holds agents that belong to none. */
export const GroupSection = memo(function GroupSection({ id, open, onToggle, filter, text }: Props) {
  const { words } = useApp()
  const group = useData((d) => d.groups.get(id))
  const shown = useShown(id, filter, text)
  const tally = useData((d) => d.tallies.get(id) ?? empty)
  const body = useId()
  const filtered = filter !== 'all' || text !== ''
  if (filtered && shown.length === 0) return null
  const over = tally.done + tally.failed + tally.cancelled
  return (
    <section className={`group ${open ? 'open' : ''}`} data-group={id || 'none'}>
      <header className="group-head">
        <h2>
          <button type="button" className="group-toggle" aria-expanded={open} aria-controls={body} onClick={() => onToggle(id)}>
            <span className="group-chevron">
              <Icon name="chevron" size={16} />
            </span>
            <span className="group-title">{group ? group.description || group.id : words.dashboard.unsorted}</span>
          </button>
        </h2>
        <div className="group-facts">
          {group ? (
            <>
              <span className="id">{group.id}</span>
              <Copy text={group.id} />
              <Created at={group.createdAt} />
            </>
          ) : (
            <span className="muted">{words.dashboard.unsortedHint}</span>
          )}
        </div>
        <div className="group-progress">
          <span className="group-count">{words.dashboard.agents(tally.total)}</span>
          <Progress tally={tally} label={words.dashboard.progress(over, tally.total)} />
          <span className="group-done" aria-hidden>
            {over}/{tally.total}
          </span>
        </div>
        {group && <DeleteGroup id={id} name={group.description || id} />}
      </header>
      <div id={body} className="group-body" hidden={!open}>
        {open && (shown.length > 0 ? <Cards ids={shown} /> : <p className="group-empty">{words.dashboard.emptyGroup}</p>)}
      </div>
    </section>
  )
})

function Created({ at }: { at: string }) {
  const { words, language } = useApp()
  const now = useNow()
  return <span className="muted nowrap">{words.dashboard.created(ago(at, now, words, language))}</span>
}

/** The agents of a group that fit the filter, as the same list while they are the same. */
function useShown(id: string, filter: Filter, text: string): readonly string[] {
  const kept = useRef<readonly string[]>(none)
  return useData((d: Data) => {
    const members = d.members.get(id) ?? none
    if (filter === 'all' && !text) return members
    const fit = members.filter((m) => {
      const a = d.agents.get(m)
      return a !== undefined && fits(a, filter, text)
    })
    const old = kept.current
    if (old.length !== fit.length || !fit.every((m, i) => m === old[i])) kept.current = fit
    return kept.current
  })
}

function Progress({ tally, label }: { tally: Tally; label: string }) {
  const parts: [string, number][] = [
    ['done', tally.done],
    ['failed', tally.failed],
    ['cancelled', tally.cancelled],
    ['running', tally.running],
    ['waiting', tally.waiting],
  ]
  const over = tally.done + tally.failed + tally.cancelled
  return (
    <span className="progress" role="progressbar" aria-label={label} aria-valuemin={0} aria-valuemax={tally.total} aria-valuenow={over} title={label}>
      {parts.map(([name, n]) => n > 0 && <span key={name} className={`part part-${name}`} style={{ flexGrow: n }} />)}
    </span>
  )
}

const least = 304
const gap = 12

function Cards({ ids }: { ids: readonly string[] }) {
  const ref = useRef<HTMLUListElement>(null)
  const { start, end, columns, height } = useGrid(ref, ids.length, least, cardHeight, gap)
  const from = start * columns
  const drawn = ids.slice(from, end * columns)
  return (
    <ul className="cards" ref={ref} style={{ height }}>
      {drawn.map((id, i) => {
        const at = from + i
        const [row, column] = [Math.floor(at / columns), at % columns]
        return (
          <li
            key={id}
            aria-setsize={ids.length}
            aria-posinset={at + 1}
            style={{
              top: row * (cardHeight + gap),
              left: `calc((100% + ${gap}px) / ${columns} * ${column})`,
              width: `calc((100% + ${gap}px) / ${columns} - ${gap}px)`,
              height: cardHeight,
            }}
          >
            <AgentCard id={id} />
          </li>
        )
      })}
    </ul>
  )
}

function DeleteGroup({ id, name }: { id: string; name: string }) {
  const { words, ask, store } = useApp()
  const [living, setLiving] = useState<number | null>(null)
  const writable = useWritable()
  if (!writable) return null
  const begin = () => {
    const d = store.get()
    setLiving((d.members.get(id) ?? none).filter((m) => !ended(d.agents.get(m)?.status ?? 'completed')).length)
  }
  const done = (answer: string | null) => {
    const force = (living ?? 0) > 0
    setLiving(null)
    if (answer !== null) void ask('group:delete', { groupId: id, force })
  }
  return (
    <>
      <button type="button" className="icon-button danger group-delete" aria-label={words.dashboard.deleteGroupOf(name)} title={words.dashboard.deleteGroup} onClick={begin}>
        <Icon name="trash" size={16} />
      </button>
      {living !== null && (
        <Confirm
          title={words.dashboard.deleteAsk}
          text={
            <>
              <strong>{name}</strong> <code>{id}</code>
              <p>
                {living > 0 && <>{words.dashboard.deleteForce(living)} </>}
                {words.dashboard.deleteText}
              </p>
            </>
          }
          action={words.dialog.delete}
          onDone={done}
        />
      )}
    </>
  )
}
