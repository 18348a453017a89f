// Files that servers have changed on the disk. What extensions say of one file may depend on others, which they learn of when VS
// Code does.
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { sleep } from "./documents";
import { pathOf } from "./places";

/** Written is a file that a server has changed, and how long ago, in milliseconds. */
export interface Written {
  path: string;
  ago: number;
}

/** patience is how long VS Code may take to see a change. Some files it does not watch. */
const patience = 2000;
/** early is how long before a server says so VS Code may have seen that a file was removed. */
const early = 1000;
/** settling is how long extensions gather changes before they tell their servers, in milliseconds: that for TypeScript 100, others 250. */
const settling = 300;
/** maxSeen is of how many files it is remembered when they changed. */
const maxSeen = 10_000;

/** Disk knows which changes VS Code has seen. */
export class Disk {
  private readonly seen = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  changed(path: string): void {
    if (this.seen.size >= maxSeen) this.seen.clear();
    this.seen.set(path, this.now());
  }

  /** isSeen tells whether VS Code and its extensions have seen a change, or will not. */
  isSeen(path: string, at: number): boolean {
    const seen = this.seen.get(path) ?? 0;
    return (seen >= at && this.now() - seen >= settling) || this.now() - at > patience;
  }

  /** caughtUp waits until VS Code has seen changes, but not beyond end, and tells whether it has. */
  async caughtUp(written: Written[], end: number, signal: AbortSignal): Promise<boolean> {
    const all = await Promise.all(
      written.map(async ({ path, ago }) => {
        const info = await fs.stat(path).catch(() => undefined);
        return { path, at: info ? Math.floor(info.mtimeMs) : this.now() - ago - early };
      }),
    );
    const done = () => all.every(({ path, at }) => this.isSeen(path, at));
    while (!done()) {
      if (this.now() >= end || signal.aborted) return false;
      await sleep(20);
    }
    return true;
  }
}

/** watch tells a disk what happens in the folders of the window. */
export function watch(disk: Disk): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher("**/*");
  const tell = (uri: vscode.Uri) => {
    const path = pathOf(uri);
    if (path !== undefined) disk.changed(path);
  };
  return vscode.Disposable.from(watcher, watcher.onDidChange(tell), watcher.onDidCreate(tell), watcher.onDidDelete(tell));
}
