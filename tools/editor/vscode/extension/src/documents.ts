// The documents that the window holds.
import { createHash } from "node:crypto";
import * as fs from "node:fs/promises";
import * as vscode from "vscode";
import { toEdit, toRange } from "./convert";
import { pathOf, uriOf } from "./places";
import { Code, Document, Fault, Known, stale, TextEdit, unsupported } from "./wire";

/** saving is how long a document may take to be saved, in milliseconds: formatters may run then. */
const saving = 20_000;
/** rereading is how long VS Code may take to see that a file has changed, in milliseconds. */
const rereading = 3000;

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** atMost answers what a promise does, or undefined when that takes longer. */
export async function atMost<T>(ms: number, promise: PromiseLike<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), ms)));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** held is the document of a file, if VS Code holds it. */
export function held(uri: vscode.Uri): vscode.TextDocument | undefined {
  const wanted = uri.toString();
  return vscode.workspace.textDocuments.find((d) => !d.isClosed && d.uri.toString() === wanted);
}

/** isShown tells whether a document has a tab. */
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

/** isOpen tells whether a document is the user's. Others VS Code, or this extension, only looks at, and the file is what counts. */
export function isOpen(doc: vscode.TextDocument): boolean {
  return !doc.isClosed && (doc.isDirty || isShown(doc.uri));
}

/** opened is the document of a file, which is read if VS Code does not hold it. No tab appears. */
export async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
  try {
    return held(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch (err) {
    throw unsupported(`VS Code cannot open ${uri.fsPath} as text: ${err instanceof Error ? err.message : String(err)}`);
  }
}

/** digest is the SHA-256 of a text whose lines end at LF. */
export function digest(text: string): string {
  return createHash("sha256").update(text.replace(/\r\n?/g, "\n")).digest("hex");
}

/** expected is the document of a file, which must be what the client knows. */
export async function expected(known: Known): Promise<vscode.TextDocument> {
  const uri = uriOf(known.path);
  const doc = await opened(uri);
  if (known.version !== undefined) {
    if (doc.version !== known.version) throw stale(`${known.path} is at version ${doc.version}, not ${known.version}`);
    return doc;
  }
  for (const end = Date.now() + rereading; known.sha256 !== undefined && digest(doc.getText()) !== known.sha256; await sleep(50)) {
    if (doc.isDirty) throw stale(`${known.path} has changes in VS Code that are not saved`);
    if (doc.isClosed) return expected(known);
    if (Date.now() > end) throw unsupported(`VS Code reads ${known.path} otherwise than it was given: in another encoding, or it has not seen a change`);
  }
  return doc;
}

/** asDisk waits until a document without changes is what its file is, and tells whether it is. */
export async function asDisk(doc: vscode.TextDocument, end: number): Promise<boolean> {
  for (;;) {
    if (doc.isDirty || doc.isClosed) return !doc.isClosed;
    const bytes = await fs.readFile(doc.uri.fsPath);
    let text: string;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // Not UTF-8: what cannot be compared is as it was if it has not changed lately.
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

/** document answers the document of a file, if the user has it open. */
export function document(path: string): { document?: Document } {
  const doc = held(uriOf(path));
  return doc && isOpen(doc) ? { document: toDocument(doc, path) } : {};
}

/** edit changes an open document, as one step that the user can undo. */
export async function edit(path: string, version: number, edits: TextEdit[], save: boolean): Promise<{ document: Document; saved: boolean }> {
  const uri = uriOf(path);
  const doc = held(uri);
  if (!doc || !isOpen(doc)) throw stale(`${path} is not open any more`);
  if (doc.version !== version) throw stale(`${path} is at version ${doc.version}, not ${version}`);
  apart(doc, edits);
  if (edits.length > 0) {
    const change = new vscode.WorkspaceEdit();
    change.set(uri, edits.map(toEdit));
    // VS Code refuses it if the document changes before it gets there.
    if (!(await vscode.workspace.applyEdit(change))) {
      throw doc.version !== version ? stale(`${path} changed meanwhile`) : new Fault(Code.internal, `VS Code did not take the edit of ${path}`);
    }
  }
  if (save && doc.isDirty) await atMost(saving, Promise.resolve(doc.save()).catch(() => false));
  return { document: toDocument(doc, path), saved: !doc.isDirty };
}

/** apart refuses edits that overlap. */
function apart(doc: vscode.TextDocument, edits: TextEdit[]): void {
  const spans = edits.map(({ range }) => {
    const inside = doc.validateRange(toRange(range));
    return [doc.offsetAt(inside.start), doc.offsetAt(inside.end)] as const;
  });
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (let i = 1; i < spans.length; i++) {
    if ((spans[i]?.[0] ?? 0) < (spans[i - 1]?.[1] ?? 0)) throw new Fault(Code.invalidParams, "two edits overlap");
  }
}
