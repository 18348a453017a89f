// A server that runs as long as the window does. It knows nothing of VS Code.
import { spawn, type ChildProcess } from "node:child_process";
import * as readline from "node:readline";
import type { Server } from "./settings";

/** grace is how long a server may take to end by itself, in milliseconds. VS Code waits 5 seconds for an extension. */
const grace = 3000;

/** Process is a server that was started. */
export class Process {
  private readonly child: ChildProcess;
  private ending = false;
  /** ended answers why it ended, or undefined if it was told to. */
  readonly ended: Promise<string | undefined>;

  constructor(server: Server, extra: string[], line: (text: string) => void) {
    this.child = spawn(server.command, [...server.args, ...extra], {
      cwd: server.cwd,
      env: { ...process.env, ...server.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32", // a group of its own, so that all of it can be ended
      windowsHide: true,
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) readline.createInterface({ input: stream }).on("line", line);
    }
    this.ended = new Promise((resolve) => {
      this.child.once("error", (err) => resolve(err.message));
      this.child.once("exit", (code, signal) => resolve(this.ending ? undefined : signal ? `it was ended by ${signal}` : `it ended with code ${code}`));
    });
  }

  /** stop ends the server and all that it has started. */
  async stop(): Promise<void> {
    this.ending = true;
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), grace);
    await this.ended;
    clearTimeout(timer);
    if (process.platform !== "win32") this.signal("SIGKILL"); // what the server has left behind
  }

  private signal(name: "SIGTERM" | "SIGKILL"): void {
    const pid = this.child.pid;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" }).on("error", () => undefined);
      else process.kill(-pid, name);
    } catch {
      // It has ended.
    }
  }
}
