import type { Told } from '../state/reduce'
import type { Reply, WireError } from './types'

/** Where a connection stands. */
export type Phase =
  | { name: 'connecting'; attempt: number }
  | { name: 'open' }
  | { name: 'lost'; attempt: number; retryAt: number }
  /** The server wants a token that this page does not have. */
  | { name: 'refused' }

/** The error that the server has answered, or that there was no answer. */
export class RequestError extends Error {
  readonly code: string
  readonly next: string

  constructor(e: WireError) {
    super(e.message)
    this.code = e.code
    this.next = e.next ?? ''
  }
}

interface Pending {
  resolve(data: unknown): void
  reject(e: Error): void
  timer: ReturnType<typeof setTimeout>
}

export interface Handlers {
  told(told: Told[]): void
  phase(phase: Phase): void
}

const firstWait = 500
const longestWait = 15_000
const answerWithin = 30_000
const lookEvery = 30_000
const unauthorized = 4401

export interface Surroundings {
  open?(url: string): WebSocket
  /** Whether the server is there: asked when nothing was heard for a while, for a connection can die without a word. */
  alive?(): Promise<boolean>
}

/** Connection keeps a WebSocket to the server open, whatever happens to it. */
export class Connection {
  private socket: WebSocket | undefined
  private readonly pending = new Map<number, Pending>()
  private nextID = 1
  private attempt = 0
  private timer: ReturnType<typeof setTimeout> | undefined
  private stopped = true
  private heard = 0
  private watch: ReturnType<typeof setInterval> | undefined

  constructor(
    private readonly url: string,
    private readonly token: string,
    private readonly handlers: Handlers,
    private readonly around: Surroundings = {},
  ) {}

  start() {
    this.stopped = false
    this.watch = setInterval(() => void this.look(), lookEvery)
    this.connect()
  }

  stop() {
    this.stopped = true
    clearTimeout(this.timer)
    clearInterval(this.watch)
    this.drop()
  }

  /** Finds out whether a connection that is silent is still one. */
  async look() {
    const socket = this.socket
    if (!socket || Date.now() - this.heard < lookEvery || !this.around.alive) return
    const alive = await this.around.alive().catch(() => false)
    if (alive || this.socket !== socket) return
    this.drop()
    this.later()
  }

  /** Tries again at once instead of later. */
  retry() {
    if (this.stopped || this.socket) return
    clearTimeout(this.timer)
    this.connect()
  }

  /** Asks the server for something and answers what it says. */
  request(type: string, body: object = {}): Promise<unknown> {
    const socket = this.socket
    if (!socket || socket.readyState !== 1) {
      return Promise.reject(new RequestError({ code: 'NOT_CONNECTED', message: 'not connected' }))
    }
    const id = this.nextID++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id)
        reject(new RequestError({ code: 'NO_ANSWER', message: 'no answer' }))
      }, answerWithin)
      this.pending.set(id, { resolve, reject, timer })
      socket.send(JSON.stringify({ ...body, type, id }))
    })
  }

  private connect() {
    this.handlers.phase({ name: 'connecting', attempt: this.attempt })
    let socket: WebSocket
    try {
      socket = this.around.open ? this.around.open(this.url) : new WebSocket(this.url)
    } catch {
      this.later()
      return
    }
    this.socket = socket
    this.heard = Date.now()
    socket.onopen = () => {
      const hello = this.request('hello', { token: this.token })
      hello.catch(() => undefined)
    }
    socket.onmessage = (m) => this.receive(socket, m.data)
    socket.onclose = (e) => {
      if (this.socket !== socket) return
      this.drop()
      if (e?.code === unauthorized) this.handlers.phase({ name: 'refused' })
      else this.later()
    }
  }

  private receive(socket: WebSocket, text: unknown) {
    if (this.socket !== socket || typeof text !== 'string') return
    this.heard = Date.now()
    let message: unknown
    try {
      message = JSON.parse(text)
    } catch {
      return
    }
    const told: Told[] = []
    for (const m of Array.isArray(message) ? message : [message]) {
      if (!m || typeof m.type !== 'string') continue
      if (m.type === 'reply') {
        this.answer(m as Reply)
        continue
      }
      if (m.type === 'snapshot') {
        this.attempt = 0
        this.handlers.phase({ name: 'open' })
      }
      told.push(m as Told)
    }
    this.handlers.told(told)
  }

  private answer(r: Reply) {
    const p = this.pending.get(r.id)
    if (!p) return
    this.pending.delete(r.id)
    clearTimeout(p.timer)
    if (r.ok) p.resolve(r.data)
    else p.reject(new RequestError(r.error ?? { code: 'INTERNAL_ERROR', message: 'no reason given' }))
  }

  private drop() {
    const socket = this.socket
    this.socket = undefined
    if (socket) {
      socket.onopen = socket.onmessage = socket.onclose = null
      socket.close()
    }
    for (const p of this.pending.values()) {
      clearTimeout(p.timer)
      p.reject(new RequestError({ code: 'NOT_CONNECTED', message: 'the connection was lost' }))
    }
    this.pending.clear()
  }

  private later() {
    if (this.stopped) return
    const most = Math.min(longestWait, firstWait * 2 ** this.attempt)
    const wait = most / 2 + (Math.random() * most) / 2
    this.attempt++
    this.handlers.phase({ name: 'lost', attempt: this.attempt, retryAt: Date.now() + wait })
    this.timer = setTimeout(() => this.connect(), wait)
  }
}
