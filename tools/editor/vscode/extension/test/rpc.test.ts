import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { test } from "node:test";
import { Connection, maxFrame, maxStranger, type Handler } from "../src/rpc";
import { Fault } from "../src/wire";

/** Wire is a socket whose other end is the test. */
class Wire extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  writableLength = 0;
  sent = "";
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.emit("close");
  }
  end(): void {
    this.writableEnded = true;
    this.destroy();
  }
  write(data: string | Buffer): boolean {
    this.sent += data.toString();
    return true;
  }
  /** messages are what was sent, without the headers. */
  messages(): { id?: unknown; result?: unknown; error?: { code: number; message: string } }[] {
    return this.sent
      .split(/Content-Length: \d+\r\n\r\n/)
      .slice(1)
      .map((text) => JSON.parse(text) as object);
  }
}

function connect(handler: Partial<Handler> = {}, limit = maxFrame): Wire {
  const wire = new Wire();
  const connection = new Connection(wire as unknown as Socket, {
    request: async (method, params) => ({ method, params }),
    notify: () => undefined,
    closed: () => undefined,
    ...handler,
  });
  connection.limit = limit;
  return wire;
}

const frame = (value: unknown) => {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};

/** turns lets everything that is due happen. */
const turns = () => new Promise((resolve) => setImmediate(resolve));

test("Connection: messages in chunks of any size", async () => {
  const bytes = Buffer.concat([frame({ jsonrpc: "2.0", id: 1, method: "é", params: {} }), frame({ jsonrpc: "2.0", id: "b", method: "second" })]);
  for (let size = 1; size <= bytes.length; size += size < 40 ? 1 : 37) {
    const wire = connect();
    for (let i = 0; i < bytes.length; i += size) wire.emit("data", bytes.subarray(i, i + size));
    await turns();
    assert.deepEqual(
      wire.messages().map(({ id, result }) => [id, (result as { method: string }).method]),
      [
        [1, "é"],
        ["b", "second"],
      ],
      `cut into pieces of ${size}`,
    );
  }
});

test("Connection: an invalid frame closes the connection", () => {
  const cases: Record<string, string | Buffer> = {
    "no length": "Content-Type: text\r\n\r\n{}",
    "an endless header": "x".repeat(2000),
    "a length of nothing": "Content-Length: 0\r\n\r\n",
    "a negative length": "Content-Length: -5\r\n\r\n",
    "a length too long": `Content-Length: ${maxFrame + 1}\r\n\r\n`,
    "no JSON": frame("{"),
    "no object": frame("[]"),
    null: frame("null"),
    "a number for a method": frame({ id: 1, method: 2 }),
    "an object for an id": frame({ id: {}, method: "a" }),
  };
  for (const [name, data] of Object.entries(cases)) {
    const wire = connect();
    wire.emit("data", Buffer.from(data));
    assert.ok(wire.destroyed, name);
    assert.equal(wire.sent, "", name);
  }
});

test("Connection: messages before hello are limited", () => {
  const wire = connect({}, maxStranger);
  wire.emit("data", Buffer.from(`Content-Length: ${maxStranger + 1}\r\n\r\n`));
  assert.ok(wire.destroyed);
});

test("Connection: errors contain the message and no stack", async () => {
  const wire = connect({
    request: async (method) => {
      if (method === "fault") throw new Fault(-32801, "stale");
      throw new Error("x".repeat(5000));
    },
  });
  wire.emit("data", frame({ id: 1, method: "fault" }));
  wire.emit("data", frame({ id: 2, method: "error" }));
  await turns();
  const [fault, error] = wire.messages();
  assert.deepEqual(fault?.error, { code: -32801, message: "stale" });
  assert.equal(error?.error?.code, -32603);
  assert.equal(error?.error?.message.length, 2000);
});

test("Connection: a cancelled call gets a response at once", async () => {
  let seen: AbortSignal | undefined;
  const wire = connect({
    request: (_method, _params, signal) => {
      seen = signal;
      return new Promise(() => undefined);
    },
  });
  wire.emit("data", frame({ id: 7, method: "slow" }));
  wire.emit("data", frame({ method: "$/cancelRequest", params: { id: 8 } }));
  wire.emit("data", frame({ method: "$/cancelRequest", params: null }));
  await turns();
  assert.equal(wire.sent, "");
  wire.emit("data", frame({ method: "$/cancelRequest", params: { id: 7 } }));
  await turns();
  assert.equal(wire.messages()[0]?.error?.code, -32800);
  assert.ok(seen?.aborted);
});

test("Connection: closing aborts the calls", async () => {
  let seen: AbortSignal | undefined;
  const wire = connect({
    request: (_method, _params, signal) => {
      seen = signal;
      return new Promise(() => undefined);
    },
  });
  wire.emit("data", frame({ id: 1, method: "slow" }));
  wire.destroy();
  await turns();
  assert.ok(seen?.aborted);
  assert.equal(wire.sent, "");
});

test("Connection: limits of calls and answers", async () => {
  const wire = connect({
    request: (method) => (method === "slow" ? new Promise(() => undefined) : Promise.resolve("x".repeat(maxFrame))),
  });
  for (let id = 0; id < 64; id++) wire.emit("data", frame({ id, method: "slow" }));
  wire.emit("data", frame({ id: 64, method: "slow" }));
  wire.emit("data", frame({ method: "$/cancelRequest", params: { id: 1 } }));
  await turns();
  wire.emit("data", frame({ id: 2, method: "the same id" }));
  wire.emit("data", frame({ id: 65, method: "long" }));
  await turns();
  assert.deepEqual(
    wire.messages().map(({ id, error }) => [id, error?.code]),
    [
      [64, 2],
      [1, -32800],
      [2, -32600],
      [65, 3],
    ],
  );
});

test("Connection: a client that does not read is disconnected", async () => {
  const wire = connect();
  wire.writableLength = 100 << 20;
  wire.emit("data", frame({ id: 1, method: "a" }));
  await turns();
  assert.ok(wire.destroyed);
});
