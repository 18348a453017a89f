// The log of the servers, in the output panel of the window.
import type * as vscode from "vscode";
import { optionalText, text, type Params } from "./check";
import type { Client } from "./bridge";

/** maxLine is the limit, in UTF-16 code units, to which log messages are cut. */
const maxLine = 8000;
/** perSecond is the limit of messages per second and server. */
const perSecond = 200;

type Output = Pick<vscode.LogOutputChannel, "debug" | "info" | "warn" | "error">;

/** Log writes the log messages of servers to an output, with a limit per server. */
export class Log {
  private readonly budgets = new Map<string, { second: number; left: number; dropped: number }>();

  constructor(
    private readonly output: Output,
    private readonly now: () => number = Date.now,
  ) {}

  record(params: Params, { name, pid }: Client): void {
    const level = optionalText(params, "level") ?? "info";
    const from = `${name} ${pid}`;
    const line = text(params, "message").slice(0, maxLine).replace(/\r\n?|\n/g, "\n    "); // a continuation line cannot be mistaken for a message
    const dropped = this.spend(from);
    if (dropped === undefined) return;
    if (dropped > 0) this.output.warn(`[${from}] ${dropped} messages were omitted`);
    const write = level === "debug" || level === "warn" || level === "error" ? level : "info";
    this.output[write](`[${from}] ${line}`);
  }

  /** spend takes one message from the budget of a server. It returns the number of messages omitted before it, or undefined if this one must be omitted. */
  private spend(from: string): number | undefined {
    const second = Math.floor(this.now() / 1000);
    let budget = this.budgets.get(from);
    if (!budget || budget.second !== second) {
      if (this.budgets.size > 100) this.budgets.clear();
      budget = { second, left: perSecond, dropped: budget?.dropped ?? 0 };
      this.budgets.set(from, budget);
    }
    if (budget.left === 0) {
      budget.dropped++;
      return undefined;
    }
    budget.left--;
    const dropped = budget.dropped;
    budget.dropped = 0;
    return dropped;
  }
}
