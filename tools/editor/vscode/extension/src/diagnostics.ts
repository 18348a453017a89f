// Diagnostics of files, from the extensions of the window.
import * as vscode from "vscode";
import { fromDiagnostic } from "./convert";
import { asDisk, atMost, held, isShown, opened, sleep } from "./documents";
import { pathOf, uriOf } from "./places";
import type { Tracker } from "./tracker";
import { isScript, sourceOf, validate } from "./typescript";
import { Diagnostic, Fault } from "./wire";

/** maxItems is the limit of diagnostics in an answer. */
const maxItems = 5000;

export interface Answer {
  items: Diagnostic[];
  /** fresh is true if all items belong to the current texts. */
  fresh: boolean;
  /** covered are the files that an extension has checked. */
  covered: string[];
  /** notes are messages about files that are not covered or not fresh. */
  notes: string[];
}

/** hasExtension reports whether an extension for a language is installed. VS Code does not show which extensions report diagnostics. */
export function hasExtension(language: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const about = packageJSON as { main?: string; browser?: string; activationEvents?: string[] } | undefined;
    return Boolean(about?.main ?? about?.browser) && (about?.activationEvents ?? []).includes(`onLanguage:${language}`);
  });
}

/** hiddenTimeout is the time in milliseconds to wait for diagnostics of a document without a tab. Many extensions check only documents with a tab. */
const hiddenTimeout = 1500;

interface Finding {
  items?: Diagnostic[]; // undefined: no extension checks the file
  fresh: boolean;
  note?: string;
}

/** diagnose returns the diagnostics of files. It waits until they belong to the current texts, or until end (milliseconds since the epoch). */
export async function diagnose(paths: string[], end: number, tracker: Tracker, signal: AbortSignal): Promise<Answer> {
  const answer: Answer = { items: [], fresh: true, covered: [], notes: [] };
  const findings = await Promise.all(
    paths.map((path) =>
      examine(path, end, tracker, signal).catch((err: unknown): Finding => {
        if (!(err instanceof Fault)) throw err;
        return { fresh: true, note: err.message };
      }),
    ),
  );
  findings.forEach(({ items, fresh, note }, i) => {
    if (note && answer.notes.length < 20) answer.notes.push(note);
    if (!items) return;
    answer.covered.push(paths[i] as string);
    answer.items.push(...items);
    answer.fresh &&= fresh;
  });
  return bounded(answer);
}

async function examine(path: string, end: number, tracker: Tracker, signal: AbortSignal): Promise<Finding> {
  const uri = uriOf(path);
  const doc = await opened(uri);
  if (!hasExtension(doc.languageId)) return { fresh: true, note: `VS Code has no extension for ${doc.languageId}` };
  const known = await asDisk(doc, end);
  const note = known ? undefined : `VS Code has not yet read the change of ${path} on the disk`;
  const asks = isScript(doc);
  if (!asks && !tracker.spoke(doc) && !isShown(uri)) end = Math.min(end, Date.now() + hiddenTimeout);
  while (!tracker.isFresh(doc) || asks) {
    const found = asks ? await script(doc, path, end).catch(() => undefined) : undefined;
    if (found) return { items: found, fresh: known, note };
    if (tracker.isFresh(doc) || Date.now() >= end || signal.aborted) break;
    await sleep(asks ? 200 : 25); // the TypeScript server may have to start
  }
  if (!tracker.spoke(doc)) return { fresh: true, note: `no extension of VS Code has reported on ${path} yet` };
  const items = vscode.languages.getDiagnostics(uri).map((d) => fromDiagnostic(path, d));
  return { items, fresh: known && tracker.isFresh(doc), note };
}

/** script requests diagnostics from the TypeScript server, and adds the reported diagnostics of other extensions, such as linters. It returns undefined after end. */
async function script(doc: vscode.TextDocument, path: string, end: number): Promise<Diagnostic[] | undefined> {
  const own = await atMost(Math.max(end - Date.now(), 0), validate(doc));
  if (!own) return undefined;
  const others = vscode.languages.getDiagnostics(doc.uri).filter((d) => d.source !== sourceOf(doc));
  return [...own, ...others].map((d) => fromDiagnostic(path, d));
}

/** diagnoseAll returns the diagnostics that the extensions have reported so far. It waits until no more are reported, or until end. */
export async function diagnoseAll(end: number, tracker: Tracker, signal: AbortSignal): Promise<Answer> {
  while (!tracker.isQuiet() && Date.now() < end && !signal.aborted) await sleep(25);
  const items = vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
    const path = found.length > 0 && isInWorkspace(uri) ? pathOf(uri) : undefined;
    return path === undefined ? [] : found.map((d) => fromDiagnostic(path, d));
  });
  const notes = ["these are the diagnostics that the extensions of VS Code have reported so far; most extensions check only open files"];
  return bounded({ items, fresh: false, covered: [], notes });
}

const isInWorkspace = (uri: vscode.Uri) => vscode.workspace.getWorkspaceFolder(uri) !== undefined;

function bounded(answer: Answer): Answer {
  if (answer.items.length > maxItems) {
    answer.notes.push(`${answer.items.length - maxItems} diagnostics were omitted`);
    answer.items.length = maxItems;
  }
  return answer;
}

/** track reports changes of documents and diagnostics to a tracker. */
export function track(tracker: Tracker): vscode.Disposable {
  for (const doc of vscode.workspace.textDocuments) tracker.changed(doc);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument((doc) => tracker.changed(doc)),
    vscode.workspace.onDidCloseTextDocument((doc) => tracker.closed(doc)),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) tracker.changed(document);
    }),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      for (const uri of uris) {
        const doc = held(uri);
        if (doc) tracker.reported(doc);
      }
    }),
  );
}
