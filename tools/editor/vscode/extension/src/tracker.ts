// Records the times at which documents changed and extensions reported diagnostics. VS Code does not name the version of a document that
// a diagnostic belongs to, so only these times show whether it is current.
import type * as vscode from "vscode";

/** quiet is the time without reports, in milliseconds, after which the reports of an extension count as complete. */
const quiet = 200;
/** minSilence is the minSilence time without a report after a change, in milliseconds, that means that the diagnostics have not changed. */
const minSilence = 1000;

type Doc = Pick<vscode.TextDocument, "uri" | "languageId">;

interface Entry {
  changed: number;
  reported: number; // 0 before the first report
}

/** Tracker has the times of the documents that VS Code has loaded. Times are milliseconds since the epoch. */
export class Tracker {
  private readonly docs = new Map<string, Entry>();
  private readonly longest = new Map<string, number>(); // by language: the longest time from a change to the first report

  constructor(private readonly now: () => number = Date.now) {}

  changed(doc: Doc): void {
    const key = doc.uri.toString();
    const entry = this.docs.get(key);
    if (entry) entry.changed = this.now();
    else this.docs.set(key, { changed: this.now(), reported: 0 });
  }

  closed(doc: Doc): void {
    this.docs.delete(doc.uri.toString());
  }

  /** reported records that the diagnostics of a document were set. Other documents than loaded ones are ignored. */
  reported(doc: Doc): void {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry) return;
    if (entry.reported <= entry.changed) {
      const took = this.now() - entry.changed;
      // A much later report has another cause, such as a change of another file.
      if (took < 20_000) this.longest.set(doc.languageId, Math.max(took, this.longest.get(doc.languageId) ?? 0));
    }
    entry.reported = this.now();
  }

  /** spoke reports whether an extension ever set the diagnostics of a document. */
  spoke(doc: Doc): boolean {
    return (this.docs.get(doc.uri.toString())?.reported ?? 0) > 0;
  }

  /** isFresh reports whether the diagnostics of a document belong to its current text. */
  isFresh(doc: Doc): boolean {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry || entry.reported === 0) return false;
    const now = this.now();
    if (entry.reported > entry.changed) return now - entry.reported >= quiet;
    // An extension has reported before, and its diagnostics have not changed since.
    return now - entry.changed >= Math.max(minSilence, 3 * (this.longest.get(doc.languageId) ?? 0));
  }

  /** isQuiet reports whether no document has changed and no diagnostics were reported lately. */
  isQuiet(): boolean {
    const now = this.now();
    for (const { changed, reported } of this.docs.values()) {
      if (now - changed < minSilence || now - reported < quiet) return false;
    }
    return true;
  }
}
