// A server process that ends with the window. This file does not import the API of VS Code.
import { spawn, type ChildProcess } from "node:child_process";
import * as readline from "node:readline";
import type { Server } from "./settings";

/** grace is the time in milliseconds that a server has to end before it is killed. VS Code waits 5 seconds for an extension. */
const grace = 3000;

/** Process is a started server. */
export class Process {
  private readonly child: ChildProcess;
  private ending = false;
  /** ended resolves to the reason of the end, or to undefined after stop. */
  readonly ended: Promise<string | undefined>;

  constructor(server: Server, extra: string[], line: (text: string) => void) {
    this.child = spawn(server.command, [...server.args, ...extra], {
      cwd: server.cwd,
      env: { ...process.env, ...server.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32", // its own process group, so that stop can end all of its processes
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

  /** stop ends the server and its child processes. */
  async stop(): Promise<void> {
    this.ending = true;
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), grace);
    await this.ended;
    clearTimeout(timer);
    if (process.platform !== "win32") this.signal("SIGKILL"); // remaining child processes
  }

  private signal(name: "SIGTERM" | "SIGKILL"): void {
    const pid = this.child.pid;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" }).on("error", () => undefined);
      else process.kill(-pid, name);
    } catch {
      // The process has ended.
    }
  }
}
