// The server side of the window: a socket with JSON-RPC, protected by a token. This file does not import the API of VS Code.
import { createHash, timingSafeEqual } from "node:crypto";
import * as fs from "node:fs/promises";
import * as net from "node:net";
import { object, text, whole, type Params } from "./check";
import type { Rendezvous } from "./rendezvous";
import { Connection, maxFrame } from "./rpc";
import { Code, Fault, protocol } from "./wire";

/** maxClients is the limit of open connections. */
const maxClients = 16;
/** helloTimeout is the time in milliseconds that a client has for the request hello. */
const helloTimeout = 5000;

/** Client is a connected server, as its request hello describes it. */
export interface Client {
  name: string;
  version: string;
  pid: number;
}

/** Method handles one request. signal is aborted when the client cancels the request or disconnects. */
export type Method = (params: Params, signal: AbortSignal, client: Client) => Promise<unknown>;

/** Service contains the handlers of a Bridge, by method. */
export interface Service {
  methods: Record<string, Method>;
  notifications: Record<string, (params: Params, client: Client) => void>;
  /** welcome returns the result of the request hello. */
  welcome(): object;
  /** changed is called when a client has connected or disconnected. */
  changed(): void;
}

/** Bridge accepts connections of servers on the socket of a Rendezvous. */
export class Bridge {
  private readonly server = net.createServer((socket) => this.accept(socket));
  private readonly known = new Map<Connection, Client>();
  private connections = 0;

  constructor(
    private readonly rendezvous: Rendezvous,
    private readonly service: Service,
  ) {}

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(this.rendezvous.socket, () => resolve());
    });
    this.server.on("error", () => undefined);
    if (process.platform !== "win32") await fs.chmod(this.rendezvous.socket, 0o600);
  }

  clients(): Client[] {
    return [...this.known.values()];
  }

  /** broadcast sends a notification to all clients. */
  broadcast(method: string, params: unknown): void {
    for (const connection of this.known.keys()) connection.notify(method, params);
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    for (const connection of this.known.keys()) connection.close();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000).unref())]);
  }

  private accept(socket: net.Socket): void {
    if (this.connections >= maxClients) {
      socket.destroy();
      return;
    }
    this.connections++;
    const timer = setTimeout(() => socket.destroy(), helloTimeout);
    const connection: Connection = new Connection(socket, {
      request: async (method, params, signal) => {
        const client = this.known.get(connection);
        if (client) return this.call(client, method, params, signal);
        try {
          if (method !== "hello") throw new Fault(Code.invalidRequest, "the first request must be hello");
          const welcome = this.hello(connection, object(params, "params"));
          clearTimeout(timer);
          return welcome;
        } catch (err) {
          setImmediate(() => connection.end()); // after the response is written
          throw err;
        }
      },
      notify: (method, params) => {
        const client = this.known.get(connection);
        if (!client) return connection.close();
        const handle = own(this.service.notifications, method);
        try {
          handle?.(object(params, "params"), client);
        } catch {
          // Notifications have no response.
        }
      },
      closed: () => {
        this.connections--;
        clearTimeout(timer);
        if (this.known.delete(connection)) this.service.changed();
      },
    });
  }

  private hello(connection: Connection, params: Params): object {
    const digest = (s: string) => createHash("sha256").update(s).digest();
    if (!timingSafeEqual(digest(text(params, "token")), digest(this.rendezvous.token))) throw new Fault(Code.invalidRequest, "the token is wrong");
    const speaks = whole(params.protocol, "protocol");
    if (speaks !== protocol) {
      const old = speaks < protocol ? "the server" : "the extension Dougu";
      throw new Fault(Code.invalidRequest, `the server uses version ${speaks} of the protocol, the extension version ${protocol}: update ${old}`);
    }
    const about = object(params.client, "client");
    this.known.set(connection, {
      name: text(about, "name").slice(0, 100),
      version: text(about, "version").slice(0, 100),
      pid: whole(about.pid, "client.pid"),
    });
    connection.limit = maxFrame;
    this.service.changed();
    return this.service.welcome();
  }

  private async call(client: Client, method: string, params: unknown, signal: AbortSignal): Promise<unknown> {
    const handle = own(this.service.methods, method);
    if (!handle) throw new Fault(Code.unknownMethod, `unknown method ${method.slice(0, 100)}`);
    return handle(object(params ?? {}, "params"), signal, client);
  }
}

/** own returns an own property of an object. Inherited ones are excluded, because a client may send any name. */
function own<T>(of: Record<string, T>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : undefined;
}
