// Quick fixes for a diagnostic.
import * as vscode from "vscode";
import { codeOf, fromWorkspaceEdit, toRange } from "./convert";
import { hasExtension } from "./diagnostics";
import { expected, sleep } from "./documents";
import { withTab } from "./view";
import { Diagnostic, Fault, Fix, Known, stale, unsupported } from "./wire";

/** maxFixes is the limit of fixes in an answer. */
const maxFixes = 20;

/** appearing is the time in milliseconds to wait for a diagnostic after its document got a tab. */
const appearing = 5000;

/** fixes returns the quick fixes that only change text and files. `left` has the titles of those that run a command, whose effect is unknown. */
export async function fixes(known: Known, of: Diagnostic, signal: AbortSignal): Promise<{ fixes: Fix[]; left: string[] }> {
  const doc = await expected(known);
  if (!hasExtension(doc.languageId)) throw unsupported(`VS Code has no extension for ${doc.languageId}`);
  const version = doc.version;
  const actions = isThere(doc, of)
    ? await ask(doc, of)
    : await withTab(doc, async () => {
        for (const end = Date.now() + appearing; !isThere(doc, of) && Date.now() < end && !signal.aborted; ) await sleep(25);
        return ask(doc, of);
      });
  if (doc.version !== version) throw stale(`${known.path} changed meanwhile`);
  const found: Fix[] = [];
  const left: string[] = [];
  for (const action of actions) {
    const title = action.title.slice(0, 200);
    if (!isAction(action) || (!action.edit && action.command)) {
      if (left.length < maxFixes) left.push(title);
    } else if (concerns(action, of) && !action.disabled && found.length < maxFixes) {
      const edits = editsOf(action);
      if (edits) found.push({ title, kind: action.kind?.value ?? "quickfix", preferred: action.isPreferred, edits });
    }
  }
  return { fixes: found, left };
}

/** isThere reports whether VS Code has a diagnostic. Without the diagnostic, VS Code offers no fix. */
function isThere(doc: vscode.TextDocument, of: Diagnostic): boolean {
  const { line, character } = of.range.start;
  return vscode.languages
    .getDiagnostics(doc.uri)
    .some(({ range: { start }, message }) => start.line === line && start.character === character && isMessage(message, of));
}

/** isMessage reports whether a message is that of a diagnostic, which may have been cut. */
const isMessage = (message: string, of: Diagnostic) => message.startsWith(of.message.slice(0, 1000));

async function ask(doc: vscode.TextDocument, of: Diagnostic): Promise<(vscode.CodeAction | vscode.Command)[]> {
  const found = await vscode.commands.executeCommand<(vscode.CodeAction | vscode.Command)[] | undefined>(
    "vscode.executeCodeActionProvider",
    doc.uri,
    doc.validateRange(toRange(of.range)),
    vscode.CodeActionKind.QuickFix.value,
    maxFixes, // the number of actions to resolve
  );
  return found ?? [];
}

/** isAction reports whether an action is no bare command. */
export function isAction(action: vscode.CodeAction | vscode.Command): action is vscode.CodeAction {
  return typeof (action as vscode.Command).command !== "string";
}

/** concerns reports whether an action is for a diagnostic. Other diagnostics may have the same position. */
function concerns(action: vscode.CodeAction, of: Diagnostic): boolean {
  const named = action.diagnostics ?? [];
  if (named.length === 0) return true;
  return named.some((d) => isMessage(d.message, of) || (of.code !== undefined && codeOf(d) === of.code));
}

/** editsOf returns the edits of an action, or undefined if it has none or they cannot be converted. */
export function editsOf({ edit }: vscode.CodeAction): Fix["edits"] {
  if (!edit || edit.size === 0) return undefined;
  try {
    return fromWorkspaceEdit(edit);
  } catch (err) {
    if (err instanceof Fault) return undefined;
    throw err;
  }
}
