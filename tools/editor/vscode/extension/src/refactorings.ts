// Refactorings of a range, by kinds of code actions.
import * as vscode from "vscode";
import { toRange } from "./convert";
import { hasExtension } from "./diagnostics";
import { expected } from "./documents";
import { editsOf, isAction } from "./fixes";
import { type Known, type Range, type Refactoring, stale, unsupported } from "./wire";

/** maxRefactorings is the limit of refactorings in an answer, and of code actions that VS Code resolves for each kind. */
const maxRefactorings = 50;

/** refactorings returns the code actions of some kinds that only change text and files. `left` has the titles of those that run a command, whose effect is unknown. */
export async function refactorings(known: Known, range: Range, kinds: string[], signal: AbortSignal): Promise<{ refactorings: Refactoring[]; left: string[] }> {
  const doc = await expected(known);
  if (!hasExtension(doc.languageId)) throw unsupported(`VS Code has no extension for ${doc.languageId}`);
  const version = doc.version;
  const found: Refactoring[] = [];
  const left: string[] = [];
  for (const kind of kinds) {
    if (signal.aborted) break;
    for (const action of await ask(doc, range, kind)) {
      const title = action.title.slice(0, 200);
      if (isAction(action) && action.disabled) {
        add(found, { title, kind: action.kind?.value ?? kind, disabled: action.disabled.reason.slice(0, 200) });
      } else if (!isAction(action) || action.command) {
        if (left.length < maxRefactorings) left.push(title);
      } else {
        const edits = editsOf(action);
        if (edits) add(found, { title, kind: action.kind?.value ?? kind, preferred: action.isPreferred, edits });
      }
    }
  }
  if (doc.version !== version) throw stale(`${known.path} changed meanwhile`);
  return { refactorings: found, left };
}

function add(found: Refactoring[], one: Refactoring): void {
  if (found.length < maxRefactorings && !found.some((f) => f.title === one.title && f.kind === one.kind)) found.push(one);
}

async function ask(doc: vscode.TextDocument, range: Range, kind: string): Promise<(vscode.CodeAction | vscode.Command)[]> {
  const found = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[] | undefined>(
    "vscode.executeCodeActionProvider",
    doc.uri,
    doc.validateRange(toRange(range)),
    kind,
    maxRefactorings,
  );
  return found ?? [];
}
