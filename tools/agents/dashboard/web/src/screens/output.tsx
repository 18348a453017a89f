import { memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useApp } from '../state/app'
import type { OutputKind } from '../wire/api'
import { bytes } from '../ui/format'
import { Spinner } from '../ui/parts'

const page = 64 * 1024
const most = 2 * 1024 * 1024

interface Loaded {
  text: string
  /** Where the text begins and ends in all that was written. */
  from: number
  next: number
  dropped: number
}

/** Reads what an agent writes: the end at once, more before it when asked, and what is new while it runs. */
function useOutput(id: string, kind: OutputKind, live: boolean) {
  const { api } = useApp()
  const [loaded, setLoaded] = useState<Loaded | null>(null)
  const [error, setError] = useState('')
  const busy = useRef(false)

  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let at: number | undefined
    const step = async () => {
      try {
        const o = await api.output(id, kind, at ?? -page, page, stop.signal)
        const first = at === undefined
        const further = o.next > (at ?? -1)
        at = o.next
        setError('')
        setLoaded((old) => (first || !old ? { text: o.text, from: o.offset, next: o.next, dropped: o.dropped } : longer(old, o.text, o.next)))
        if (further && o.next < o.size) return void step()
      } catch (e) {
        if (stop.signal.aborted) return
        setError(e instanceof Error ? e.message : String(e))
      }
      if (live) timer = setTimeout(step, 1000)
    }
    void step()
    return () => {
      stop.abort()
      clearTimeout(timer)
    }
  }, [api, id, kind, live])

  const earlier = useCallback(async () => {
    if (!loaded || busy.current || loaded.from === 0) return
    busy.current = true
    try {
      const from = Math.max(0, loaded.from - page)
      let o = await api.output(id, kind, from, loaded.from - from)
      // What was not kept is skipped, and the answer may reach into what is here already.
      if (o.next > loaded.from) o = o.offset < loaded.from ? { ...(await api.output(id, kind, o.offset, loaded.from - o.offset)), dropped: o.dropped } : { ...o, text: '' }
      setLoaded((old) => (old ? { ...old, text: o.text + old.text, from: o.dropped > 0 ? 0 : from, dropped: o.dropped } : old))
    } catch (e) {
      setError(e instanceof Error ? e.message : String(e))
    } finally {
      busy.current = false
    }
  }, [api, id, kind, loaded])

  return { loaded, error, earlier }
}

function longer(old: Loaded, text: string, next: number): Loaded {
  if (!text) return old
  const all = old.text + text
  if (all.length <= most) return { ...old, text: all, next }
  const cut = all.length - most
  return { ...old, text: all.slice(cut), from: old.from + cut, next }
}

/** What an agent has written, of one kind. */
export function OutputView({ id, kind, live }: { id: string; kind: OutputKind; live: boolean }) {
  const { words } = useApp()
  const { loaded, error, earlier } = useOutput(id, kind, live)
  const ref = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  useLayoutEffect(() => {
    const box = ref.current
    if (box && following.current && kind !== 'diff') box.scrollTop = box.scrollHeight
  }, [loaded?.text, kind])
  const onScroll = () => {
    const box = ref.current
    if (box) following.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40
  }
  if (error && !loaded) return <p className="output-note wrong">{`${words.detail.loadFailed}: ${error}`}</p>
  if (!loaded) {
    return (
      <p className="output-note">
        <Spinner />
      </p>
    )
  }
  if (!loaded.text && loaded.from === 0) return <p className="output-note">{kind === 'diff' ? words.detail.noDiff : words.detail.noOutput}</p>
  return (
    <div className={`output output-${kind}`} ref={ref} onScroll={onScroll} tabIndex={0} role="region" aria-label={words.detail[kind]}>
      {loaded.from > 0 && (
        <button type="button" className="button quiet" onClick={() => void earlier()}>
          {words.detail.earlier} ({bytes(loaded.from)})
        </button>
      )}
      {loaded.dropped > 0 && <p className="output-note">{words.detail.dropped(bytes(loaded.dropped))}</p>}
      {kind === 'diff' ? <Diff text={loaded.text} /> : kind === 'log' ? <Log text={loaded.text} /> : <pre>{loaded.text}</pre>}
      {live && (
        <p className="output-live">
          <Spinner size={11} /> {words.detail.following}
        </p>
      )}
    </div>
  )
}

export type DiffLine = 'file' | 'place' | 'added' | 'removed' | 'same'

/** What each line of a unified diff is. */
export function diffLines(text: string): { kind: DiffLine; text: string }[] {
  let inside = false
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      if (line.startsWith('@@')) {
        inside = true
        return { kind: 'place', text: line }
      }
      if (line.startsWith('diff ') || line.startsWith('index ') || (!inside && /^(---|\+\+\+) /.test(line)) || /^(---|\+\+\+) ([ab]\/|\/dev\/null)/.test(line)) {
        if (line.startsWith('diff ')) inside = false
        return { kind: 'file', text: line }
      }
      if (line.startsWith('+')) return { kind: 'added', text: line }
      if (line.startsWith('-')) return { kind: 'removed', text: line }
      return { kind: 'same', text: line }
    })
}

function Diff({ text }: { text: string }) {
  return (
    <pre className="diff">
      {diffLines(text).map((l, i) => (
        <span key={i} className={`line line-${l.kind}`}>
          {l.text || ' '}
          {'\n'}
        </span>
      ))}
    </pre>
  )
}

/** What kind of event a line of a log is; empty if it is none. */
export function eventOf(line: string): { type: string; subtype: string } {
  const none = { type: '', subtype: '' }
  if (!line.startsWith('{') || line.length > 256 * 1024) return none
  try {
    const e: unknown = JSON.parse(line)
    const { type, subtype } = e as Record<string, unknown>
    return typeof type === 'string' ? { type, subtype: typeof subtype === 'string' ? subtype : '' } : none
  } catch {
    return none
  }
}

/** The events of an agent, one a line, each with what it is in front. */
function Log({ text }: { text: string }) {
  return (
    <pre className="log">
      {text
        .replace(/\n$/, '')
        .split('\n')
        .map((line, i) => (
          <LogLine key={i} line={line} />
        ))}
    </pre>
  )
}

const LogLine = memo(function LogLine({ line }: { line: string }) {
  const { type, subtype } = eventOf(line)
  return (
    <span className={`line ${type ? `event-${type}` : ''}`}>
      {type && <b>{subtype ? `${type}·${subtype} ` : `${type} `}</b>}
      {line || ' '}
      {'\n'}
    </span>
  )
})
