// The active editor and the tabs of the window.
import * as vscode from "vscode";
import { fromPosition, fromRange, toPosition } from "./convert";
import { held, isShown } from "./documents";
import { pathOf, uriOf } from "./places";
import { Position, Range } from "./wire";

/** open shows a file in the window, at a position if one is given. */
export async function open(path: string, at: Position | undefined, preview: boolean): Promise<void> {
  const uri = uriOf(path);
  let doc: vscode.TextDocument;
  try {
    doc = held(uri) ?? (await vscode.workspace.openTextDocument(uri));
  } catch {
    await vscode.commands.executeCommand("vscode.open", uri, { preview }); // for example an image
    return;
  }
  const place = at && doc.validatePosition(toPosition(at));
  await vscode.window.showTextDocument(doc, { preview, selection: place && new vscode.Range(place, place) });
}

export interface Active {
  path: string;
  version: number;
  cursor: Position;
  selection?: Range;
  dirty: boolean;
}

/** active returns the document in the active editor, or {} if that is not text, for example an image or the settings. */
export function active(): { active?: Active } {
  const editor = textEditor();
  if (!editor) return {};
  const { document: doc, selection } = editor;
  return {
    active: {
      path: pathOf(doc.uri) ?? "",
      version: doc.version,
      cursor: fromPosition(selection.active),
      selection: selection.isEmpty ? undefined : fromRange(selection),
      dirty: doc.isDirty,
    },
  };
}

const documents = ["file", "untitled"];

/** textEditor returns the active editor of a document. VS Code counts the output panel as an editor, too; it is skipped. */
export function textEditor(): vscode.TextEditor | undefined {
  const editor = vscode.window.activeTextEditor;
  if (editor && documents.includes(editor.document.uri.scheme)) return editor;
  const input = vscode.window.tabGroups.activeTabGroup?.activeTab?.input;
  if (!(input instanceof vscode.TabInputText)) return undefined;
  return vscode.window.visibleTextEditors.find(({ document: { uri } }) => documents.includes(uri.scheme) && uri.toString() === input.uri.toString());
}

/** withTab runs work while a document has a tab, because some extensions check only documents with a tab. It closes a tab that it has
 * opened, and does not take the focus from a user who types. */
export async function withTab<T>(doc: vscode.TextDocument, work: () => Promise<T>): Promise<T> {
  if (isShown(doc.uri)) return work();
  const isTyping = vscode.window.state.focused && vscode.window.activeTextEditor !== undefined;
  const viewColumn = isTyping ? vscode.ViewColumn.Beside : vscode.ViewColumn.Active;
  await vscode.window.showTextDocument(doc, { preview: false, preserveFocus: true, viewColumn });
  try {
    return await work();
  } finally {
    const mine = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input, isDirty, isPinned }) => input instanceof vscode.TabInputText && input.uri.toString() === doc.uri.toString() && !isDirty && !isPinned);
    await vscode.window.tabGroups.close(mine, true);
  }
}
