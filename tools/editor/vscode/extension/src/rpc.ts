// JSON-RPC 2.0 in frames with a Content-Length, as in the Language Server Protocol. This file does not import the API of VS Code.
import type { Socket } from "node:net";
import { Code, Fault } from "./wire";

/** maxHeader is the limit of a header, in bytes. */
const maxHeader = 1024;
/** maxFrame is the limit of a message in either direction, in bytes. */
export const maxFrame = 24 << 20;
/** maxStranger is the limit of a message before the request hello, in bytes. */
export const maxStranger = 4096;
/** maxUnread is the limit of sent data that a client has not read, in bytes. At the limit the connection is closed. */
const maxUnread = 2 * maxFrame;
/** maxCalls is the limit of concurrent requests of a client. */
const maxCalls = 64;

type Id = number | string;

/** Handler processes the messages of a connection. */
export interface Handler {
  request(method: string, params: unknown, signal: AbortSignal): Promise<unknown>;
  notify(method: string, params: unknown): void;
  closed(): void;
}

/** Connection is the connection of one client. */
export class Connection {
  /** limit is the current limit of a message, in bytes. */
  limit = maxStranger;
  private chunks: Buffer[] = [];
  private size = 0;
  private wanted = -1; // the length of the next message; -1 before its header is complete
  private readonly calls = new Map<Id, AbortController>();

  constructor(
    private readonly socket: Socket,
    private readonly handler: Handler,
  ) {
    socket.on("data", (chunk: Buffer) => this.read(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      for (const call of this.calls.values()) call.abort();
      this.handler.closed();
    });
  }

  close(): void {
    this.socket.destroy();
  }

  /** end closes the connection after pending writes. */
  end(): void {
    this.socket.end();
  }

  notify(method: string, params: unknown): void {
    this.send({ jsonrpc: "2.0", method, params });
  }

  private read(chunk: Buffer): void {
    this.chunks.push(chunk);
    this.size += chunk.length;
    try {
      while (!this.socket.destroyed && this.step());
    } catch {
      this.close(); // an invalid frame has no id to respond to
    }
  }

  /** step processes one header or one message of the received data. It returns false if it needs more data. */
  private step(): boolean {
    if (this.wanted < 0) {
      const all = this.gather();
      const end = all.subarray(0, maxHeader).indexOf("\r\n\r\n");
      if (end < 0) {
        if (all.length >= maxHeader) throw new Error("the header is too long");
        return false;
      }
      const found = /^content-length: *(\d{1,9})$/im.exec(all.toString("latin1", 0, end).replace(/\r/g, ""));
      const length = Number(found?.[1]);
      if (!found || length === 0 || length > this.limit) throw new Error("the length is missing, zero or over the limit");
      this.wanted = length;
      this.keep(all.subarray(end + 4));
      return true;
    }
    if (this.size < this.wanted) return false;
    const all = this.gather();
    const body = all.toString("utf8", 0, this.wanted);
    this.keep(all.subarray(this.wanted));
    this.wanted = -1;
    this.take(JSON.parse(body) as unknown);
    return true;
  }

  private gather(): Buffer {
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0] as Buffer;
  }

  private keep(rest: Buffer): void {
    this.chunks = [rest];
    this.size = rest.length;
  }

  private take(value: unknown): void {
    const message = value as { id?: unknown; method?: unknown; params?: unknown };
    if (typeof value !== "object" || value === null || typeof message.method !== "string") throw new Error("not a request");
    const { id, method, params } = message;
    if (method === "$/cancelRequest") {
      this.calls.get((params as { id?: Id } | null | undefined)?.id as Id)?.abort();
    } else if (id === undefined) {
      this.handler.notify(method, params);
    } else if (typeof id === "number" || typeof id === "string") {
      void this.answer(id, method, params);
    } else {
      throw new Error("the id is neither a number nor a string");
    }
  }

  private async answer(id: Id, method: string, params: unknown): Promise<void> {
    const call = new AbortController();
    try {
      if (this.calls.size >= maxCalls) throw new Fault(Code.busy, "too many requests are running");
      if (this.calls.has(id)) throw new Fault(Code.invalidRequest, "a request with this id is running");
    } catch (err) {
      return this.fail(id, err);
    }
    this.calls.set(id, call);
    try {
      const gaveUp = new Promise<never>((_, reject) =>
        call.signal.addEventListener("abort", () => reject(new Fault(Code.cancelled, "cancelled"))),
      );
      const result = await Promise.race([this.handler.request(method, params, call.signal), gaveUp]);
      this.send({ jsonrpc: "2.0", id, result: result ?? null });
    } catch (err) {
      this.fail(id, err);
    } finally {
      this.calls.delete(id);
    }
  }

  private fail(id: Id, err: unknown): void {
    const code = err instanceof Fault ? err.code : Code.internal;
    const message = (err instanceof Error ? err.message : String(err)).slice(0, 2000);
    this.send({ jsonrpc: "2.0", id, error: { code, message } });
  }

  private send(message: { jsonrpc: "2.0"; id?: Id; [member: string]: unknown }): void {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    const body = Buffer.from(JSON.stringify(message));
    if (body.length > maxFrame) {
      if (message.id !== undefined) this.fail(message.id, new Fault(Code.tooLarge, `the answer exceeds ${maxFrame} bytes`));
      return;
    }
    if (this.socket.writableLength > maxUnread) return this.close();
    this.socket.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.socket.write(body);
  }
}
