// Files that servers have changed on the disk. The diagnostics of a file may depend on other files, whose changes extensions notice only
// when VS Code reports them.
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { sleep } from "./documents";
import { pathOf } from "./places";

/** Written is a file that a server has changed. ago is the time since the change, in milliseconds. */
export interface Written {
  path: string;
  ago: number;
}

/** noticeTimeout is the time, in milliseconds, after which a change counts as seen. VS Code does not watch some files. */
const noticeTimeout = 2000;
/** deletionLead is the time, in milliseconds, by which VS Code may notice a deletion before the server reports it. */
const deletionLead = 1000;
/** settling is the time, in milliseconds, in which extensions collect changes before they notify their servers: 100 for TypeScript, 250 for others. */
const settling = 300;
/** maxSeen is the limit of files in Disk.seen; at the limit all are forgotten. */
const maxSeen = 10_000;

/** Disk records the times at which VS Code has seen changes of files. */
export class Disk {
  /** seen has the time of the last seen change, in milliseconds since the epoch, by path. */
  private readonly seen = new Map<string, number>();

  constructor(private readonly now: () => number = Date.now) {}

  changed(path: string): void {
    if (this.seen.size >= maxSeen) this.seen.clear();
    this.seen.set(path, this.now());
  }

  /** isSeen reports whether VS Code and its extensions have seen the change of a file at a time, or are not expected to see it any more. */
  isSeen(path: string, at: number): boolean {
    const seen = this.seen.get(path) ?? 0;
    return (seen >= at && this.now() - seen >= settling) || this.now() - at > noticeTimeout;
  }

  /** caughtUp waits until VS Code has seen the changes, or until end. It returns false at end or after an abort. */
  async caughtUp(written: Written[], end: number, signal: AbortSignal): Promise<boolean> {
    const all = await Promise.all(
      written.map(async ({ path, ago }) => {
        const info = await fs.stat(path).catch(() => undefined);
        return { path, at: info ? Math.floor(info.mtimeMs) : this.now() - ago - deletionLead };
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

/** watch reports the changes of files in the folders of the window to a Disk. */
export function watch(disk: Disk): vscode.Disposable {
  const watcher = vscode.workspace.createFileSystemWatcher("**/*");
  const tell = (uri: vscode.Uri) => {
    const path = pathOf(uri);
    if (path !== undefined) disk.changed(path);
  };
  return vscode.Disposable.from(watcher, watcher.onDidChange(tell), watcher.onDidCreate(tell), watcher.onDidDelete(tell));
}
