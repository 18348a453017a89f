/**
 * Clock ticks once a second for whoever shows a time that runs, and knows by how much
 * the server's clock differs from this one.
 */
export class Clock {
  private readonly watchers = new Set<() => void>()
  private timer: ReturnType<typeof setInterval> | undefined
  private moment = Date.now()
  private least = Infinity

  /** The server's time at the last tick, in milliseconds. */
  readonly now = (): number => this.moment - this.skew()

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    if (!this.timer) {
      this.moment = Date.now()
      this.timer = setInterval(() => this.tick(), 1000)
    }
    return () => {
      this.watchers.delete(watcher)
      if (this.watchers.size === 0) {
        clearInterval(this.timer)
        this.timer = undefined
      }
    }
  }

  /** Takes the server's time of something that has just arrived. */
  heard(at: string) {
    const server = Date.parse(at)
    if (Number.isNaN(server)) return
    this.least = Math.min(this.least, Date.now() - server)
  }

  /** Forgets the difference: another server may have another clock. */
  reset() {
    this.least = Infinity
  }

  // Delays of the network are no difference of clocks: only what is more counts.
  private skew(): number {
    return Number.isFinite(this.least) && Math.abs(this.least) > 1500 ? this.least : 0
  }

  private tick() {
    this.moment = Date.now()
    for (const watcher of this.watchers) watcher()
  }
}
