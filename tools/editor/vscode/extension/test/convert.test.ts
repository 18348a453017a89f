import assert from "node:assert/strict";
import { test } from "node:test";
import type * as real from "vscode";
import { fromDiagnostic, fromLocation, fromWorkspaceEdit } from "../src/convert";
import { Code } from "../src/wire";
import { code, project, shown } from "./project";
import * as vscode from "./vscode";

const whole = (edit: vscode.WorkspaceEdit) => fromWorkspaceEdit(edit as unknown as real.WorkspaceEdit);
const range = (a: number, b: number, c: number, d: number) => new vscode.Range(new vscode.Position(a, b), new vscode.Position(c, d));

/** ofOld is an edit of a version of VS Code that does not tell its operations on files. */
function ofOld(edit: vscode.WorkspaceEdit): vscode.WorkspaceEdit {
  Object.defineProperty(edit, "_allEntries", { value: undefined });
  return edit;
}

test("fromWorkspaceEdit: operations on files come first", async (t) => {
  const file = project(t, { "a.txt": "a", "b.txt": "b" });
  await shown(file("a.txt"));
  const uri = (name: string) => vscode.Uri.file(file(name));
  const edit = new vscode.WorkspaceEdit();
  edit.set(uri("a.txt"), [new vscode.TextEdit(range(0, 0, 0, 1), "x")]);
  edit.set(uri("b.txt"), [new vscode.TextEdit(range(0, 1, 0, 1), "y")]);
  edit.set(uri("a.txt"), [new vscode.TextEdit(range(0, 1, 0, 1), "z")]);
  edit.createFile(uri("c.txt"));
  edit.renameFile(uri("b.txt"), uri("d.txt"));
  edit.deleteFile(uri("e.txt"));
  const at = (a: number, b: number) => ({ start: { line: 0, character: a }, end: { line: 0, character: b } });
  assert.deepEqual(whole(edit), [
    { op: "create", path: file("c.txt") },
    { op: "rename", path: file("b.txt"), newPath: file("d.txt") },
    { op: "delete", path: file("e.txt") },
    { op: "change", path: file("a.txt"), version: 1, edits: [{ range: at(0, 1), newText: "x" }, { range: at(1, 1), newText: "z" }] },
    { op: "change", path: file("b.txt"), version: undefined, edits: [{ range: at(1, 1), newText: "y" }] },
  ]);
});

test("fromWorkspaceEdit: a part that cannot be converted is an error", (t) => {
  const file = project(t, {});
  const edits: Record<string, vscode.WorkspaceEdit> = {};
  const add = (name: string, fill: (edit: vscode.WorkspaceEdit) => void) => {
    const edit = new vscode.WorkspaceEdit();
    fill(edit);
    edits[name] = edit;
  };
  add("a snippet", (edit) => edit.set(vscode.Uri.file(file("a")), [new vscode.SnippetTextEdit()]));
  add("something that is no file", (edit) => edit.set(vscode.Uri.other("untitled", "x"), [new vscode.TextEdit(range(0, 0, 0, 0), "x")]));
  add("an operation on what is no file", (edit) => edit.createFile(vscode.Uri.other("memory", "x")));
  add("an operation that an old VS Code does not tell", (edit) => ofOld(edit).createFile(vscode.Uri.file(file("a"))));
  for (const [name, edit] of Object.entries(edits)) assert.throws(() => whole(edit), code(Code.unsupported), name);
});

test("fromWorkspaceEdit: text edits of an old VS Code", (t) => {
  const file = project(t, {});
  const edit = ofOld(new vscode.WorkspaceEdit());
  edit.set(vscode.Uri.file(file("a")), [new vscode.TextEdit(range(0, 0, 0, 1), "x")]);
  assert.equal(whole(edit)[0]?.edits?.[0]?.newText, "x");
});

test("fromLocation: only locations in files", (t) => {
  const file = project(t, {});
  const at = (uri: vscode.Uri) => ({ uri, range: range(1, 2, 3, 4) }) as unknown as real.Location;
  assert.deepEqual(fromLocation(at(vscode.Uri.file(file("a")))), {
    path: file("a"),
    range: { start: { line: 1, character: 2 }, end: { line: 3, character: 4 } },
  });
  assert.equal(fromLocation(at(vscode.Uri.other("git", "a"))), undefined);
  const link = { targetUri: vscode.Uri.file(file("a")), targetRange: range(0, 0, 9, 0), targetSelectionRange: range(1, 0, 1, 4) };
  assert.equal(fromLocation(link as unknown as real.LocationLink)?.range.end.line, 1);
});

test("codeOf: numbers, texts and objects", () => {
  const cases: [vscode.Diagnostic["code"], string | undefined][] = [
    [undefined, undefined],
    [2304, "2304"],
    ["E501", "E501"],
    [{ value: 7 }, "7"],
  ];
  for (const [given, want] of cases) {
    const d = new vscode.Diagnostic(range(0, 0, 0, 1), "x".repeat(9000), vscode.DiagnosticSeverity.Information);
    d.code = given;
    const told = fromDiagnostic("/a", d as unknown as real.Diagnostic);
    assert.equal(told.code, want);
    assert.equal(told.severity, "info");
    assert.equal(told.message.length, 4000);
  }
});
