import { useEffect, useLayoutEffect, useState } from 'react'
import type { RefObject } from 'react'

/** Which of the rows of a list can be seen: from start on, before end. */
export interface Span {
  start: number
  end: number
}

/**
 * The rows that can be seen, and a few around them. top is where the list begins
 * relative to the viewport; rows are pitch pixels apart.
 */
export function visibleRows(top: number, height: number, rows: number, pitch: number, spare = 3): Span {
  const first = Math.floor(-top / pitch) - spare
  const last = Math.ceil((height - top) / pitch) + spare
  const start = Math.min(Math.max(0, first), rows)
  return { start, end: Math.max(start, Math.min(rows, last)) }
}

/** How many columns of at least that width fit. */
export function columnsFor(width: number, least: number, gap: number): number {
  return Math.max(1, Math.floor((width + gap) / (least + gap)))
}

const measured = new Set<() => void>()
let waiting = false

// One look at the layout a frame, for all lists together.
function remeasure() {
  if (waiting) return
  waiting = true
  requestAnimationFrame(() => {
    waiting = false
    for (const m of measured) m()
  })
}

function watchLayout(measure: () => void): () => void {
  if (measured.size === 0) {
    addEventListener('scroll', remeasure, { passive: true, capture: true })
    addEventListener('resize', remeasure)
  }
  measured.add(measure)
  return () => {
    measured.delete(measure)
    if (measured.size === 0) {
      removeEventListener('scroll', remeasure, { capture: true })
      removeEventListener('resize', remeasure)
    }
  }
}

/** Lays a list out as a grid of which only what can be seen is drawn. */
export function useGrid(ref: RefObject<HTMLElement | null>, count: number, leastWidth: number, rowHeight: number, gap: number) {
  const [layout, setLayout] = useState<Span & { columns: number }>({ start: 0, end: 4, columns: 1 })
  useLayoutEffect(() => {
    const measure = () => {
      const box = ref.current?.getBoundingClientRect()
      if (!box) return
      const columns = columnsFor(box.width, leastWidth, gap)
      const span = visibleRows(box.top, innerHeight, Math.ceil(count / columns), rowHeight + gap)
      setLayout((old) => (old.columns === columns && old.start === span.start && old.end === span.end ? old : { ...span, columns }))
    }
    measure()
    return watchLayout(measure)
  }, [ref, count, leastWidth, rowHeight, gap])
  // A list above this one may have grown.
  useEffect(() => {
    if (typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(remeasure)
    observer.observe(document.body)
    if (ref.current) observer.observe(ref.current)
    return () => observer.disconnect()
  }, [ref])
  const rows = Math.ceil(count / layout.columns)
  return { ...layout, rows, height: rows === 0 ? 0 : rows * (rowHeight + gap) - gap }
}
