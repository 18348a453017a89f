// The running parts of this window: the socket for servers, and optionally a started server.
import * as vscode from "vscode";
import { Bridge, type Client, type Service } from "./bridge";
import { folders, foreign } from "./places";
import { Process } from "./process";
import { Rendezvous } from "./rendezvous";
import * as settings from "./settings";
import { protocol } from "./wire";

/** keepInterval is the interval, in milliseconds, at which the file that describes the window is restored. */
const keepInterval = 15_000;

export interface State {
  listening: boolean;
  clients: Client[];
  /** server is the URL of the started server. */
  server?: string;
  /** fault is the message of the last failure. */
  fault?: string;
}

/** Session starts and stops the socket and the server of the window. Its operations run one after the other. */
export class Session {
  private bridge?: Bridge;
  private rendezvous?: Rendezvous;
  private timer?: NodeJS.Timeout;
  private process?: Process;
  private at?: string;
  private fault?: string;
  /** wanted is true between start and stop. A window without a folder starts to listen when it gets one. */
  private wanted = false;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    private readonly service: (changed: () => void) => Service,
    private readonly version: string,
    private readonly tools: string[],
    private readonly output: vscode.LogOutputChannel,
    private readonly changed: (state: State) => void,
  ) {}

  state(): State {
    return { listening: this.bridge !== undefined, clients: this.bridge?.clients() ?? [], server: this.at, fault: this.fault };
  }

  /** start listens for servers. If withServer is true, it also starts the server of the settings. */
  start(withServer: boolean): Promise<void> {
    return this.next(async () => {
      this.fault = undefined;
      this.wanted = true;
      await this.listen();
      if (withServer) this.launch();
    });
  }

  stop(): Promise<void> {
    return this.next(() => {
      this.wanted = false;
      return this.end();
    });
  }

  restart(withServer: boolean): Promise<void> {
    void this.stop();
    return this.start(withServer);
  }

  /** windowChanged sends the new state to the connected servers. If the folders have changed, it also updates the file by which later servers find the window. */
  windowChanged(state: object, otherFolders: boolean): void {
    this.bridge?.broadcast("window", state);
    if (!otherFolders) return;
    void this.next(async () => {
      if (this.wanted) await this.listen();
      await this.describe();
    });
  }

  private next(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((err: unknown) => {
      this.fault = err instanceof Error ? err.message : String(err);
      this.output.error(this.fault);
    });
    return this.queue.then(() => this.changed(this.state()));
  }

  private async listen(): Promise<void> {
    if (this.bridge || folders().length + foreign().length === 0) return; // servers find a window by its folders
    const rendezvous = await Rendezvous.open(folders().map((f) => f.path));
    const bridge = new Bridge(rendezvous, this.service(() => this.changed(this.state())));
    await bridge.listen();
    this.rendezvous = rendezvous;
    this.bridge = bridge;
    await this.describe();
    this.timer = setInterval(() => void rendezvous.keep().catch((err: unknown) => this.output.warn(String(err))), keepInterval);
    if (folders().length === 0) {
      throw new Error(`servers cannot use this window, since ${foreign().join(", ")} is not on this machine: install the extension where the folder is, and start the server there`);
    };
    this.output.info(`servers find this window by ${rendezvous.file}`);
  }

  private async describe(): Promise<void> {
    await this.rendezvous?.describe({
      protocol,
      folders: folders().map((f) => f.path),
      foreign: foreign().slice(0, 20),
      app: vscode.env.appName,
      appVersion: vscode.version,
      version: this.version,
    });
  }

  private launch(): void {
    const server = settings.server(this.tools);
    if (this.process || !server) return;
    const address = settings.address();
    const started = new Process(server, ["-http", address], (line) => this.output.info(`[server] ${line.slice(0, 8000)}`));
    this.output.info(`${server.command} serves MCP at http://${address}/mcp`);
    this.process = started;
    this.at = `http://${address}/mcp`;
    void started.ended.then((why) => {
      if (this.process !== started) return;
      this.process = this.at = undefined;
      this.fault = why && `the server has ended: ${why}`;
      if (this.fault) this.output.error(this.fault);
      this.changed(this.state());
    });
  }

  private async end(): Promise<void> {
    clearInterval(this.timer);
    const { bridge, rendezvous, process } = this;
    this.bridge = this.rendezvous = this.process = this.at = this.fault = undefined;
    await Promise.all([process?.stop(), bridge?.close().then(() => rendezvous?.close())]);
  }
}
