// What is wrong in files, as the extensions of the window say.
import * as vscode from "vscode";
import { fromDiagnostic } from "./convert";
import { asDisk, atMost, held, isShown, opened, sleep } from "./documents";
import { pathOf, uriOf } from "./places";
import type { Tracker } from "./tracker";
import { isScript, sourceOf, validate } from "./typescript";
import { Diagnostic, Fault } from "./wire";

/** maxItems is how many diagnostics are answered. */
const maxItems = 5000;

export interface Answer {
  items: Diagnostic[];
  fresh: boolean;
  covered: string[];
  notes: string[];
}

/** canSpeak tells whether an extension is there that is made for a language. Which ones do diagnose, none says. */
export function canSpeak(language: string): boolean {
  return vscode.extensions.all.some(({ packageJSON }) => {
    const about = packageJSON as { main?: string; browser?: string; activationEvents?: string[] } | undefined;
    return Boolean(about?.main ?? about?.browser) && (about?.activationEvents ?? []).includes(`onLanguage:${language}`);
  });
}

/** unseen is how long an extension has to speak of a document without a tab, in milliseconds. Many look at what has one only. */
const unseen = 1500;

interface Finding {
  items?: Diagnostic[]; // undefined: the file is left to others
  fresh: boolean;
  note?: string;
}

/** diagnose answers for files. It takes until their diagnostics are of today, or until end. */
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
  if (!canSpeak(doc.languageId)) return { fresh: true, note: `no extension of VS Code is there for ${doc.languageId}` };
  const known = await asDisk(doc, end);
  const note = known ? undefined : `VS Code has not yet seen that ${path} has changed on the disk`;
  const asks = isScript(doc);
  if (!asks && !tracker.spoke(doc) && !isShown(uri)) end = Math.min(end, Date.now() + unseen);
  while (!tracker.isFresh(doc) || asks) {
    const found = asks ? await script(doc, path, end).catch(() => undefined) : undefined;
    if (found) return { items: found, fresh: known, note };
    if (tracker.isFresh(doc) || Date.now() >= end || signal.aborted) break;
    await sleep(asks ? 200 : 25); // the server of TypeScript may have to start
  }
  if (!tracker.spoke(doc)) return { fresh: true, note: `no extension of VS Code has said anything of ${path} yet` };
  const items = vscode.languages.getDiagnostics(uri).map((d) => fromDiagnostic(path, d));
  return { items, fresh: known && tracker.isFresh(doc), note };
}

/** script asks the server of TypeScript, and takes from others, such as linters, what they have said. */
async function script(doc: vscode.TextDocument, path: string, end: number): Promise<Diagnostic[] | undefined> {
  const own = await atMost(Math.max(end - Date.now(), 0), validate(doc));
  if (!own) return undefined;
  const others = vscode.languages.getDiagnostics(doc.uri).filter((d) => d.source !== sourceOf(doc));
  return [...own, ...others].map((d) => fromDiagnostic(path, d));
}

/** diagnoseAll answers what has been found so far. */
export async function diagnoseAll(end: number, tracker: Tracker, signal: AbortSignal): Promise<Answer> {
  while (!tracker.isQuiet() && Date.now() < end && !signal.aborted) await sleep(25);
  const items = vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
    const path = found.length > 0 && isConcern(uri) ? pathOf(uri) : undefined;
    return path === undefined ? [] : found.map((d) => fromDiagnostic(path, d));
  });
  const notes = ["VS Code tells what its extensions have found so far; most of them look at files only that are open"];
  return bounded({ items, fresh: false, covered: [], notes });
}

const isConcern = (uri: vscode.Uri) => vscode.workspace.getWorkspaceFolder(uri) !== undefined;

function bounded(answer: Answer): Answer {
  if (answer.items.length > maxItems) {
    answer.notes.push(`${answer.items.length - maxItems} diagnostics were left out`);
    answer.items.length = maxItems;
  }
  return answer;
}

/** track tells a tracker what happens. */
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
