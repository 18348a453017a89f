// When documents changed and when extensions spoke of them. VS Code does not say for which version of a document a diagnostic is,
// so whether it is of today can only be told from that.
import type * as vscode from "vscode";

/** quiet is how long nothing more is said when an extension has said all, in milliseconds. */
const quiet = 200;
/** shortest is the least time after which silence means that there is nothing to say, in milliseconds. */
const shortest = 1000;

type Doc = Pick<vscode.TextDocument, "uri" | "languageId">;

interface Entry {
  changed: number;
  reported: number; // 0 when nobody ever spoke of it
}

/** Tracker knows the times of the documents that VS Code holds. */
export class Tracker {
  private readonly docs = new Map<string, Entry>();
  private readonly longest = new Map<string, number>(); // by language: how long after a change an extension spoke first

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

  /** reported notes that the diagnostics of a document that VS Code holds were set. */
  reported(doc: Doc): void {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry) return;
    if (entry.reported <= entry.changed) {
      const took = this.now() - entry.changed;
      // What comes much later has another reason, such as a change of another file.
      if (took < 20_000) this.longest.set(doc.languageId, Math.max(took, this.longest.get(doc.languageId) ?? 0));
    }
    entry.reported = this.now();
  }

  /** spoke tells whether an extension ever spoke of a document. */
  spoke(doc: Doc): boolean {
    return (this.docs.get(doc.uri.toString())?.reported ?? 0) > 0;
  }

  /** isFresh tells whether the diagnostics of a document are those of its text as it is. */
  isFresh(doc: Doc): boolean {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry || entry.reported === 0) return false;
    const now = this.now();
    if (entry.reported > entry.changed) return now - entry.reported >= quiet;
    // An extension that has spoken of it, and has nothing new to say.
    return now - entry.changed >= Math.max(shortest, 3 * (this.longest.get(doc.languageId) ?? 0));
  }

  /** isQuiet tells whether nothing has happened for a while. */
  isQuiet(): boolean {
    const now = this.now();
    for (const { changed, reported } of this.docs.values()) {
      if (now - changed < shortest || now - reported < quiet) return false;
    }
    return true;
  }
}
