import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as net from "node:net";
import * as os from "node:os";
import * as path from "node:path";
import { test, type TestContext } from "node:test";
import { Bridge, type Service } from "../src/bridge";
import { directories, Rendezvous } from "../src/rendezvous";
import { protocol } from "../src/wire";

function temporary(t: TestContext): string {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "dougu-test-")));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  return dir;
}

interface Answer {
  id?: number;
  result?: unknown;
  error?: { code: number; message: string };
}

/** Caller is a server that calls. */
class Caller {
  private text = "";
  private readonly socket: net.Socket;
  readonly closed: Promise<void>;

  constructor(address: string) {
    this.socket = net.connect(address);
    this.socket.on("error", () => undefined);
    this.socket.on("data", (data) => (this.text += data.toString()));
    this.closed = new Promise((resolve) => this.socket.once("close", () => resolve()));
  }

  send(value: object): void {
    const body = JSON.stringify(value);
    this.socket.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  /** call asks and waits for the answer with its number. */
  async call(id: number, method: string, params: unknown): Promise<Answer> {
    this.send({ jsonrpc: "2.0", id, method, params });
    for (const end = Date.now() + 10_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 5))) {
      for (const text of this.text.split(/Content-Length: \d+\r\n\r\n/).slice(1)) {
        try {
          const message = JSON.parse(text) as Answer;
          if (message.id === id) return message;
        } catch {
          // The frame is incomplete.
        }
      }
    }
    throw new Error(`no answer to ${method}`);
  }

  end(): void {
    this.socket.destroy();
  }
}

async function serve(t: TestContext, service: Partial<Service> = {}) {
  const place = await Rendezvous.open(["/project"], [path.join(temporary(t), "vscode")]);
  const bridge = new Bridge(place, { methods: {}, notifications: {}, welcome: () => ({ hello: "you" }), changed: () => undefined, ...service });
  await bridge.listen();
  t.after(async () => {
    await bridge.close();
    await place.close();
  });
  const hello = { protocol, token: place.token, client: { name: "test", version: "1", pid: 42 } };
  const caller = () => {
    const one = new Caller(place.socket);
    t.after(() => one.end());
    return one;
  };
  return { place, bridge, hello, caller };
}

test("Bridge: hello with a wrong token, version or method is refused", async (t) => {
  const { hello, caller, bridge } = await serve(t, { methods: { secret: async () => "gold" } });
  const refused: [string, unknown, RegExp][] = [
    ["hello", { ...hello, token: "x".repeat(64) }, /token/],
    ["hello", { ...hello, token: "" }, /token/],
    ["hello", { ...hello, token: 5 }, /token/],
    ["hello", { ...hello, protocol: protocol + 1 }, /update the extension/],
    ["hello", { ...hello, protocol: 0 }, /update the server/],
    ["hello", { ...hello, client: null }, /client/],
    ["hello", [], /params/],
    ["secret", {}, /first request/],
  ];
  for (const [method, params, message] of refused) {
    const one = caller();
    assert.match((await one.call(1, method, params)).error?.message ?? "", message);
    await one.closed;
  }
  assert.deepEqual(bridge.clients(), []);
  const one = caller();
  assert.deepEqual((await one.call(1, "hello", hello)).result, { hello: "you" });
  assert.equal((await one.call(2, "secret", {})).result, "gold");
  assert.deepEqual(bridge.clients(), [{ name: "test", version: "1", pid: 42 }]);
});

test("Bridge: a notification before hello closes the connection", async (t) => {
  const { caller } = await serve(t);
  const one = caller();
  one.send({ jsonrpc: "2.0", method: "log", params: { message: "I am in" } });
  await one.closed;
});

test("Bridge: only own properties of the service are methods", async (t) => {
  const { hello, caller } = await serve(t);
  const one = caller();
  await one.call(1, "hello", hello);
  for (const [id, method] of ["constructor", "__proto__", "toString", "hello"].entries()) {
    assert.equal((await one.call(10 + id, method, {})).error?.code, -32601, method);
  }
});

test("Bridge: several clients, up to the limit", async (t) => {
  let changes = 0;
  const { hello, caller, bridge } = await serve(t, { changed: () => changes++ });
  const all = Array.from({ length: 16 }, caller);
  for (const one of all) await one.call(1, "hello", hello);
  const extra = caller();
  await extra.closed;
  assert.equal(bridge.clients().length, 16);
  assert.equal(changes, 16);
  all[0]?.end();
  while (bridge.clients().length > 15) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(changes, 17);
  await caller().call(1, "hello", hello);
});

test("Rendezvous: only the user can read the files", async (t) => {
  const { place } = await serve(t);
  await place.describe({ protocol, folders: ["/project"], app: "a", appVersion: "1", version: "2" });
  const mode = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);
  assert.equal(mode(path.dirname(place.file)), "700");
  assert.equal(mode(place.file), "600");
  assert.equal(mode(place.socket), "600");
  const about = JSON.parse(fs.readFileSync(place.file, "utf8")) as Record<string, unknown>;
  assert.equal(about.token, place.token);
  assert.equal(about.pid, process.pid);
  assert.deepEqual(about.folders, ["/project"]);
  fs.rmSync(place.file);
  await place.keep();
  assert.ok(fs.existsSync(place.file));
  await place.close();
  assert.deepEqual(fs.readdirSync(path.dirname(place.file)), []);
  await place.keep();
  assert.ok(!fs.existsSync(place.file), "what is closed stays so");
});

test("Rendezvous: an unusable directory is skipped", async (t) => {
  const dir = temporary(t);
  fs.writeFileSync(path.join(dir, "file"), "");
  fs.mkdirSync(path.join(dir, "open"), { mode: 0o755 });
  fs.symlinkSync(path.join(dir, "open"), path.join(dir, "link"));
  const place = await Rendezvous.open(["/a"], [path.join(dir, "file"), path.join(dir, "link"), path.join(dir, "open")]);
  assert.equal(path.dirname(place.file), path.join(dir, "open"));
  assert.equal(fs.statSync(path.join(dir, "open")).mode & 0o777, 0o700);
  await assert.rejects(Rendezvous.open(["/a"], [path.join(dir, "file")]), /no usable directory for the socket/);
});

test("Rendezvous: a too long path gives a socket in another directory", async (t) => {
  const place = await Rendezvous.open(["/a"], [path.join(temporary(t), "x".repeat(100))]);
  t.after(() => place.close());
  assert.ok(Buffer.byteLength(place.socket) < 104);
  assert.equal(fs.statSync(path.dirname(place.socket)).mode & 0o777, 0o700);
});

test("directories: by platform and environment", () => {
  const cases: [NodeJS.ProcessEnv, string, string[]][] = [
    [{}, "darwin", ["/home/u/.cache/dougu/vscode"]],
    [{ XDG_RUNTIME_DIR: "/run/user/7" }, "linux", ["/run/user/7/dougu/vscode", "/home/u/.cache/dougu/vscode"]],
    [{ XDG_RUNTIME_DIR: "relative" }, "linux", ["/home/u/.cache/dougu/vscode"]],
    [{ LOCALAPPDATA: "/appdata" }, "win32", ["/appdata/dougu/vscode"]],
    [{ DOUGU_VSCODE_DIR: "/else", XDG_RUNTIME_DIR: "/run/user/7" }, "linux", ["/else"]],
  ];
  for (const [env, platform, want] of cases) assert.deepEqual(directories(env, platform, "/home/u"), want);
});
