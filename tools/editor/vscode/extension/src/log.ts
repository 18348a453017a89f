// What servers log, in the output of the window.
import type * as vscode from "vscode";
import { optionalText, text, type Params } from "./check";
import type { Client } from "./bridge";

/** maxLine is the longest line that is shown. */
const maxLine = 8000;
/** perSecond is how many lines of a server are shown in a second. */
const perSecond = 200;

type Output = Pick<vscode.LogOutputChannel, "debug" | "info" | "warn" | "error">;

/** Log shows records of servers, and not more than anyone can read. */
export class Log {
  private readonly budgets = new Map<string, { second: number; left: number; dropped: number }>();

  constructor(
    private readonly output: Output,
    private readonly now: () => number = Date.now,
  ) {}

  record(params: Params, { name, pid }: Client): void {
    const level = optionalText(params, "level") ?? "info";
    const from = `${name} ${pid}`;
    const line = text(params, "message").slice(0, maxLine).replace(/\r\n?|\n/g, "\n    "); // no line looks as if it began a record
    const dropped = this.spend(from);
    if (dropped === undefined) return;
    if (dropped > 0) this.output.warn(`[${from}] ${dropped} lines were left out`);
    const write = level === "debug" || level === "warn" || level === "error" ? level : "info";
    this.output[write](`[${from}] ${line}`);
  }

  /** spend takes one line of a budget and answers how many went before it unseen, or undefined if this one does. */
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
