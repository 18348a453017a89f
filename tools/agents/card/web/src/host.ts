// The dialect of MCP Apps between a page and its host: JSON-RPC 2.0 by postMessage
// (specification of 2026-01-26, "Communication Protocol").

import { members, string } from './json'

export interface Host {
  request(method: string, params: object, patience?: number): Promise<unknown>
  notify(method: string, params: object): void
}

/** What the host asks for or tells; an answer is one of a request. */
export type Handler = (params: unknown) => object | void

interface Pending {
  method: string
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout>
}

const methodNotFound = -32601

/** An answer that is an error, or none. */
export class HostError extends Error {
  constructor(
    message: string,
    readonly code?: number,
  ) {
    super(message)
  }
}

/**
 * The connection of a page to the window that has framed it. Nobody else is listened to: a message counts if that window has sent it, and from
 * the first answer on if it comes from the origin that has given that.
 */
export class Connection implements Host {
  private readonly pending = new Map<number, Pending>()
  private readonly handlers = new Map<string, Handler>()
  private origin: string | undefined
  private next = 1
  private readonly listener = (e: MessageEvent) => this.receive(e)

  constructor(
    private readonly own: Window,
    private readonly parent: Window,
  ) {
    own.addEventListener('message', this.listener)
  }

  on(method: string, handler: Handler): this {
    this.handlers.set(method, handler)
    return this
  }

  request(method: string, params: object, patience = 60_000): Promise<unknown> {
    const id = this.next++
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.pending.delete(id)
        reject(new HostError(`${method}: no answer`))
      }, patience)
      this.pending.set(id, { method, resolve, reject, timer })
      this.send({ id, method, params })
    })
  }

  notify(method: string, params: object): void {
    this.send({ method, params })
  }

  close(): void {
    this.own.removeEventListener('message', this.listener)
    for (const p of this.pending.values()) {
      clearTimeout(p.timer)
      p.reject(new HostError(`${p.method}: closed`))
    }
    this.pending.clear()
  }

  private send(message: object): void {
    // The origin of a sandboxed window is "null", to which nothing can be addressed.
    const to = this.origin === undefined || this.origin === 'null' ? '*' : this.origin
    this.parent.postMessage({ jsonrpc: '2.0', ...message }, to)
  }

  private receive(e: MessageEvent): void {
    const message = members(e.data)
    if (e.source !== this.parent || message?.jsonrpc !== '2.0') return
    if (this.origin !== undefined && e.origin !== this.origin) return
    if (typeof message.method === 'string') {
      if (this.origin !== undefined) this.serve(message.method, message)
      return
    }
    const pending = typeof message.id === 'number' ? this.pending.get(message.id) : undefined
    if (!pending) return
    this.origin = e.origin
    this.pending.delete(message.id as number)
    clearTimeout(pending.timer)
    const error = members(message.error)
    if (error) pending.reject(new HostError(string(error.message).slice(0, 500) || pending.method, typeof error.code === 'number' ? error.code : undefined))
    else pending.resolve(message.result)
  }

  private serve(method: string, message: { id?: unknown; params?: unknown }): void {
    const asked = typeof message.id === 'number' || typeof message.id === 'string'
    const handler = this.handlers.get(method)
    if (!handler) {
      if (asked) this.send({ id: message.id, error: { code: methodNotFound, message: `Method not found: ${method.slice(0, 100)}` } })
      return
    }
    const result = handler(message.params) ?? {}
    if (asked) this.send({ id: message.id, result })
  }
}
