// The documents that VS Code has loaded in this window.
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { toEdit, toRange } from "./convert";
import { pathOf, uriOf, uriOfOpen } from "./places";
import { Code, Document, Fault, Known, stale, TextEdit, unsupported } from "./wire";

/** saving is the timeout for saving a document, in milliseconds. Formatters may run during saving. */
const saving = 20_000;
/** rereading is the time in milliseconds within which VS Code must have read a changed file again. */
const rereading = 3000;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** atMost returns the result of a promise, or undefined after ms milliseconds. */
export async function atMost<T>(ms: number, promise: PromiseLike<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** held returns the document of a file if VS Code has loaded it. */
export function held(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((d) => !d.isClosed && d.uri.toString() === wanted);
}

/** isShown reports whether a document has a tab. */
export function isShown(uri: vscode.Uri): boolean {
  const wanted = uri.toString();
  return vscode.window.tabGroups.all.some((group) =>
    group.tabs.some(({ input }) => {
      if (input instanceof vscode.TabInputText) return input.uri.toString() === wanted;
      if (input instanceof vscode.TabInputTextDiff) return input.modified.toString() === wanted || input.original.toString() === wanted;
      return false;
    }),
  );
}

/** isOpen reports whether the user has a document open: it has a tab or unsaved changes. For other loaded documents the file is authoritative. */
export function isOpen(doc: vscode.TextDocument): boolean {
  return !doc.isClosed && (doc.isDirty || isShown(doc.uri));
}

/** opened returns the document of a file, and loads it if necessary. It opens no tab. */
export async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return held(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch (err) {
    throw unsupported(`VS Code cannot open ${uri.fsPath} as text: ${err instanceof Error ? err.message : String(err)}`);
  }
}

/** digest returns the SHA-256 of a text with its line ends converted to LF. */
export function digest(text: string): string {
  return createHash("sha256").update(text.replace(/\r\n?/g, "\n")).digest("hex");
}

/** expected returns the document of a file. Its version or text must be the one that the client names; otherwise it throws a Fault with stale or unsupported. */
export async function expected(known: Known): Promise<vscode.TextDocument> {
  const uri = uriOf(known.path);
  const doc = await opened(uri);
  if (known.version !== undefined) {
    if (doc.version !== known.version) throw stale(`${known.path} is at version ${doc.version}, not ${known.version}`);
    return doc;
  }
  for (const end = Date.now() + rereading; known.sha256 !== undefined && digest(doc.getText()) !== known.sha256; await sleep(50)) {
    if (doc.isDirty) throw stale(`${known.path} has unsaved changes in VS Code`);
    if (doc.isClosed) return expected(known);
    if (Date.now() > end) throw unsupported(`the text of ${known.path} in VS Code differs from the given one: VS Code uses another encoding, or has not read a change`);
  }
  return doc;
}

/** asDisk waits until a document has the text of its file, or until end, and reports whether it has. A document with unsaved changes counts as equal. */
export async function asDisk(doc: vscode.TextDocument, end: number): Promise<boolean> {
  for (;;) {
    if (doc.isDirty || doc.isClosed) return !doc.isClosed;
    const bytes = await fs.readFile(doc.uri.fsPath);
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // Not UTF-8, so the texts cannot be compared: the document is current if the file has not changed lately.
      return Date.now() - (await fs.stat(doc.uri.fsPath)).mtimeMs > rereading;
    }
    if (digest(text) === digest(doc.getText())) return true;
    if (Date.now() + 50 > end) return false;
    await sleep(50);
  }
}

export function toDocument(doc: vscode.TextDocument, path = pathOf(doc.uri) ?? ""): Document {
  return { path, text: doc.getText(), version: doc.version, dirty: doc.isDirty, language: doc.languageId };
}

/** document returns the document of a file if the user has it open. */
export function document(path: string): { document?: Document } {
  const doc = held(uriOfOpen(path));
  return doc && isOpen(doc) ? { document: toDocument(doc, path) } : {};
}

/** unsaved returns the paths of the documents with changes that are not on the disk. */
export function unsaved(): { paths: string[] } {
  const paths: string[] = [];
  for (const doc of vscode.workspace.textDocuments) {
    const path = doc.isDirty && !doc.isClosed ? pathOf(doc.uri) : undefined;
    if (path !== undefined) paths.push(path);
  }
  return { paths: paths.slice(0, 1000) };
}

/** watchUnsaved calls changed when other documents than before have changes that are not on the disk. */
export function watchUnsaved(changed: () => void): vscode.Disposable {
  let last = "";
  const compare = () => {
    const now = unsaved().paths.join("\n");
    if (now === last) return;
    last = now;
    changed();
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(compare),
    vscode.workspace.onDidSaveTextDocument(compare),
    vscode.workspace.onDidCloseTextDocument(compare),
  );
}

/** edit changes an open document, as one step that the user can undo. */
export async function edit(path: string, version: number, edits: TextEdit[], save: boolean): Promise<{ document: Document; saved: boolean }> {
  const uri = uriOfOpen(path);
  const doc = held(uri);
  if (!doc || !isOpen(doc)) throw stale(`${path} is no longer open`);
  if (doc.version !== version) throw stale(`${path} is at version ${doc.version}, not ${version}`);
  requireDisjoint(doc, edits);
  if (edits.length > 0) {
    const change = new vscode.WorkspaceEdit();
    change.set(uri, edits.map(toEdit));
    // VS Code refuses the edit if the document has changed before.
    if (!(await vscode.workspace.applyEdit(change))) {
      throw doc.version !== version ? stale(`${path} changed meanwhile`) : new Fault(Code.internal, `VS Code refused the edit of ${path}`);
    }
  }
  if (save && doc.isDirty) await atMost(saving, Promise.resolve(doc.save()).catch(() => false));
  return { document: toDocument(doc, path), saved: !doc.isDirty };
}

/** requireDisjoint throws a Fault if edits overlap. */
function requireDisjoint(doc: vscode.TextDocument, edits: TextEdit[]): void {
  const spans = edits.map(({ range }) => {
    const inside = doc.validateRange(toRange(range));
    return [doc.offsetAt(inside.start), doc.offsetAt(inside.end)] as const;
  });
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (let i = 1; i < spans.length; i++) {
    if ((spans[i]?.[0] ?? 0) < (spans[i - 1]?.[1] ?? 0)) throw new Fault(Code.invalidParams, "two edits overlap");
  }
}
