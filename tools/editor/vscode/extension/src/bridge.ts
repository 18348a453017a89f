// The window as servers see it: a socket with JSON-RPC behind a token. It knows nothing of VS Code.
import { createHash, timingSafeEqual } from "node:crypto";
import * as fs from "node:fs/promises";
import * as net from "node:net";
import { object, text, whole, type Params } from "./check";
import type { Rendezvous } from "./rendezvous";
import { Connection, maxFrame } from "./rpc";
import { Code, Fault, protocol } from "./wire";

/** maxClients is how many servers may be connected. */
const maxClients = 16;
/** patience is how long one may take to say who he is, in milliseconds. */
const patience = 5000;

/** Client is a server that has said who it is. */
export interface Client {
  name: string;
  version: string;
  pid: number;
}

export type Method = (params: Params, signal: AbortSignal, client: Client) => Promise<unknown>;

export interface Service {
  methods: Record<string, Method>;
  notifications: Record<string, (params: Params, client: Client) => void>;
  /** welcome is what a client is told when it has said who it is. */
  welcome(): object;
  /** changed tells that other clients are connected. */
  changed(): void;
}

/** Bridge listens. */
export class Bridge {
  private readonly server = net.createServer((socket) => this.accept(socket));
  private readonly known = new Map<Connection, Client>();
  private connections = 0;

  constructor(
    private readonly place: Rendezvous,
    private readonly service: Service,
  ) {}

  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(this.place.socket, () => resolve());
    });
    this.server.on("error", () => undefined);
    if (process.platform !== "win32") await fs.chmod(this.place.socket, 0o600);
  }

  clients(): Client[] {
    return [...this.known.values()];
  }

  /** broadcast tells all clients something. */
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
    const timer = setTimeout(() => socket.destroy(), patience);
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
          setImmediate(() => connection.end()); // after the answer
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
          // Nobody waits for an answer.
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
    if (!timingSafeEqual(digest(text(params, "token")), digest(this.place.token))) throw new Fault(Code.invalidRequest, "the token is wrong");
    const speaks = whole(params.protocol, "protocol");
    if (speaks !== protocol) {
      const old = speaks < protocol ? "the server" : "the extension Dougu";
      throw new Fault(Code.invalidRequest, `the server speaks version ${speaks} of the protocol, the extension ${protocol}: update ${old}`);
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
    if (!handle) throw new Fault(Code.unknownMethod, `there is no method ${method.slice(0, 100)}`);
    return handle(object(params ?? {}, "params"), signal, client);
  }
}

/** own is a property that is not inherited: a client may ask for any name. */
function own<T>(of: Record<string, T>, name: string): T | undefined {
  return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : undefined;
}
