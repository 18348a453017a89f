// Converts values between the API of VS Code and the protocol (wire.ts).
import * as vscode from "vscode";
import { isOpen, held } from "./documents";
import { pathOf } from "./places";
import { Diagnostic, FileEdit, Location, Position, Range, TextEdit, unsupported } from "./wire";

/** maxMessage is the limit, in UTF-16 code units, to which messages of diagnostics are cut. */
const maxMessage = 4000;

export const toPosition = (p: Position) => new vscode.Position(p.line, p.character);
export const toRange = (r: Range) => new vscode.Range(toPosition(r.start), toPosition(r.end));
export const toEdit = (e: TextEdit) => new vscode.TextEdit(toRange(e.range), e.newText);

export const fromPosition = (p: vscode.Position): Position => ({ line: p.line, character: p.character });
export const fromRange = (r: vscode.Range): Range => ({ start: fromPosition(r.start), end: fromPosition(r.end) });
export const fromEdit = (e: vscode.TextEdit): TextEdit => ({ range: fromRange(e.range), newText: e.newText });

const severities = ["error", "warning", "info", "hint"] as const;

/** codeOf returns the code of a diagnostic as text, or undefined if it has none. */
export function codeOf(d: vscode.Diagnostic): string | undefined {
  const code = typeof d.code === "object" && d.code !== null ? d.code.value : d.code;
  return code === undefined || code === null ? undefined : String(code).slice(0, 200);
}

export function fromDiagnostic(path: string, d: vscode.Diagnostic): Diagnostic {
  return {
    path,
    range: fromRange(d.range),
    severity: severities[d.severity] ?? "error",
    message: d.message.slice(0, maxMessage),
    code: codeOf(d),
    source: d.source?.slice(0, 200),
  };
}

export function fromLocation(found: vscode.Location | vscode.LocationLink): Location | undefined {
  const [uri, range] = "targetUri" in found ? [found.targetUri, found.targetSelectionRange ?? found.targetRange] : [found.uri, found.range];
  const path = pathOf(uri);
  return path === undefined ? undefined : { path, range: fromRange(range) };
}

/** Entry is a part of a workspace edit in the internal representation of VS Code. */
interface Entry {
  _type: number;
  from?: vscode.Uri;
  to?: vscode.Uri;
  uri?: vscode.Uri;
  edit?: unknown;
}

const fileOperation = 1;
const textEdit = 2;

/** fromWorkspaceEdit converts a workspace edit. It throws a Fault if it cannot convert every part, because an incomplete edit would damage files. */
export function fromWorkspaceEdit(edit: vscode.WorkspaceEdit): FileEdit[] {
  // The public API returns text edits only; its size shows that there are other entries.
  const inner = (edit as unknown as { _allEntries?: () => Entry[] })._allEntries;
  if (typeof inner === "function") return inEntries(inner.call(edit));
  const entries = edit.entries();
  if (edit.size > entries.length) throw unsupported("the change creates, moves or deletes files, and this version of VS Code does not report them");
  return entries.flatMap(([uri, edits]) => changeOf(uri, edits));
}

function inEntries(entries: Entry[]): FileEdit[] {
  const all: FileEdit[] = [];
  const changes = new Map<string, { uri: vscode.Uri; edits: vscode.TextEdit[] }>();
  for (const entry of entries) {
    if (entry._type === textEdit && entry.uri && entry.edit instanceof vscode.TextEdit) {
      const key = entry.uri.toString();
      const known = changes.get(key) ?? { uri: entry.uri, edits: [] };
      changes.set(key, known);
      known.edits.push(entry.edit);
    } else if (entry._type === fileOperation) {
      all.push(operationOf(entry));
    } else {
      throw unsupported("the change contains an edit that only VS Code can apply, such as a snippet or a notebook edit");
    }
  }
  // Language servers create and move files before they edit them.
  return [...all, ...[...changes.values()].flatMap(({ uri, edits }) => changeOf(uri, edits))];
}

function operationOf({ from, to }: Entry): FileEdit {
  const path = (uri: vscode.Uri) => {
    const file = pathOf(uri);
    if (file === undefined) throw unsupported("the change affects a document that is not a file");
    return file;
  };
  if (from && to) return { op: "rename", path: path(from), newPath: path(to) };
  if (to) return { op: "create", path: path(to) };
  if (from) return { op: "delete", path: path(from) };
  throw unsupported("the change contains an unknown operation");
}

function changeOf(uri: vscode.Uri, edits: vscode.TextEdit[]): FileEdit[] {
  const path = pathOf(uri);
  if (path === undefined) throw unsupported("the change affects a document that is not a file");
  if (edits.length === 0) return [];
  if (!edits.every((e) => e instanceof vscode.TextEdit)) throw unsupported("the change contains snippets");
  const doc = held(uri);
  return [{ op: "change", path, edits: edits.map(fromEdit), version: doc && isOpen(doc) ? doc.version : undefined }];
}
