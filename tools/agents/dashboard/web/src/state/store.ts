import { nothing, reduce } from './reduce'
import type { Data, Told } from './reduce'

/** How a step is put off: until the next frame in the browser, by hand in tests. */
export type Schedule = (step: () => void) => void

/**
 * Store holds what the server has told. What arrives is gathered and applied once a
 * frame, and those who watch are told once, however much came.
 */
export class Store {
  private data: Data = nothing
  private waiting: Told[] = []
  private readonly watchers = new Set<() => void>()
  private readonly taps = new Set<(told: readonly Told[], before: Data, after: Data) => void>()

  constructor(private readonly schedule: Schedule = nextFrame) {}

  readonly get = (): Data => this.data

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  /** Hands on every step with what it followed from. */
  tap(tap: (told: readonly Told[], before: Data, after: Data) => void): () => void {
    this.taps.add(tap)
    return () => this.taps.delete(tap)
  }

  /** Takes what was told, to be applied soon. */
  push(told: readonly Told[]) {
    if (told.length === 0) return
    const first = this.waiting.length === 0
    this.waiting.push(...told)
    if (first) this.schedule(() => this.flush())
  }

  flush() {
    const told = this.waiting
    if (told.length === 0) return
    this.waiting = []
    const before = this.data
    this.data = reduce(before, told)
    for (const tap of this.taps) tap(told, before, this.data)
    for (const watcher of this.watchers) watcher()
  }
}

// A hidden page has no frames; it still has to empty its queue.
function nextFrame(step: () => void) {
  if (typeof document !== 'undefined' && document.hidden) setTimeout(step, 250)
  else requestAnimationFrame(step)
}
