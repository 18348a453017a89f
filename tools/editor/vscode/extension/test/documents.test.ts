import assert from "node:assert/strict";
import * as fs from "node:fs";
import * as path from "node:path";
import { test } from "node:test";
import { digest, document, edit, expected } from "../src/documents";
import { active, open } from "../src/view";
import { Code, type TextEdit } from "../src/wire";
import { code, project, shown } from "./project";
import * as vscode from "./vscode";

const at = (line: number, from: number, to: number, newText: string): TextEdit => ({
  range: { start: { line, character: from }, end: { line, character: to } },
  newText,
});

test("document: open with a tab or with unsaved changes", async (t) => {
  const file = project(t, { "a.txt": "a\n" });
  assert.deepEqual(document(file("a.txt")), {});
  const doc = await vscode.workspace.openTextDocument(vscode.Uri.file(file("a.txt")));
  assert.deepEqual(document(file("a.txt")), {}, "VS Code holds it, and the user does not");
  doc.change("b\n");
  assert.deepEqual(document(file("a.txt")).document, { path: file("a.txt"), text: "b\n", version: 2, dirty: true, language: "plaintext" });
  await doc.save();
  assert.deepEqual(document(file("a.txt")), {});
  await vscode.window.showTextDocument(doc, {});
  assert.equal(document(file("a.txt")).document?.dirty, false);
});

test("uriOf: a path outside of the folders is refused", async (t) => {
  const file = project(t, {});
  for (const name of ["/etc/passwd", file("../other"), "relative", file("a\0b")]) assert.throws(() => document(name), name);
});

test("uriOf: a folder that was opened by a link", async (t) => {
  const file = project(t, { "a.txt": "a\n" });
  const link = `${path.dirname(file("a.txt"))}.link`;
  fs.symlinkSync(path.dirname(file("a.txt")), link);
  t.after(() => fs.rmSync(link));
  vscode.reset(link);
  await shown(path.join(link, "a.txt"));
  assert.equal(document(file("a.txt")).document?.path, file("a.txt"));
});

test("edit: changes the expected version and saves", async (t) => {
  const file = project(t, { "a.txt": "one two\nthree\n" });
  const doc = await shown(file("a.txt"));
  const done = await edit(file("a.txt"), 1, [at(0, 4, 7, "2"), at(0, 0, 3, "1"), at(1, 0, 0, "> ")], false);
  assert.deepEqual(done, { document: { path: file("a.txt"), text: "1 2\n> three\n", version: 2, dirty: true, language: "plaintext" }, saved: false });
  await assert.rejects(edit(file("a.txt"), 1, [], false), code(Code.stale));
  assert.equal((await edit(file("a.txt"), 2, [], true)).saved, true);
  assert.equal(fs.readFileSync(file("a.txt"), "utf8"), "1 2\n> three\n");
  assert.equal(doc.version, 2);
});

test("edit: closed documents, wrong versions and overlaps are refused", async (t) => {
  const file = project(t, { "a.txt": "one two\n" });
  await assert.rejects(edit(file("a.txt"), 1, [], false), code(Code.stale), "not open");
  const doc = await shown(file("a.txt"));
  await assert.rejects(edit(file("a.txt"), 1, [at(0, 0, 5, "x"), at(0, 4, 6, "y")], false), code(Code.invalidParams), "overlapping");
  vscode.failing.edit = true;
  await assert.rejects(edit(file("a.txt"), 1, [at(0, 0, 1, "x")], false), code(Code.internal));
  assert.equal(doc.text, "one two\n");
});

test("edit: a failed save leaves the document dirty", async (t) => {
  const file = project(t, { "a.txt": "a\n" });
  await shown(file("a.txt"));
  vscode.failing.save = true;
  const done = await edit(file("a.txt"), 1, [at(0, 0, 1, "b")], true);
  assert.equal(done.saved, false);
  assert.equal(done.document.dirty, true);
});

test("expected: version and digest must match", async (t) => {
  const file = project(t, { "a.txt": "a\r\nb\r\n", "b.txt": "b\n", "c.bin": "\0" });
  const doc = await expected({ path: file("a.txt"), sha256: digest("a\nb\n") });
  assert.equal(doc.getText(), "a\r\nb\r\n");
  await assert.rejects(expected({ path: file("a.txt"), version: 2 }), code(Code.stale));
  const other = await shown(file("b.txt"));
  other.change("x\n");
  await assert.rejects(expected({ path: file("b.txt"), sha256: digest("b\n") }), code(Code.stale));
  await assert.rejects(expected({ path: file("c.bin") }), code(Code.unsupported));
});

test("expected: waits until VS Code reads the file again", async (t) => {
  const file = project(t, { "a.txt": "old\n" });
  const doc = (await expected({ path: file("a.txt") })) as unknown as vscode.TextDocument;
  const waiting = expected({ path: file("a.txt"), sha256: digest("new\n") });
  setTimeout(() => (doc.text = "new\n"), 20);
  assert.equal((await waiting).getText(), "new\n");
});

test("open: a text at a position, and an image", async (t) => {
  const file = project(t, { "a.txt": "one\ntwo\n", "p.png": "\0" });
  await open(file("a.txt"), { line: 1, character: 99 }, true);
  const [editor] = vscode.window.visibleTextEditors;
  assert.deepEqual((editor?.options as { preview: boolean }).preview, true);
  assert.deepEqual({ ...editor?.selection?.start }, { line: 1, character: 3 });
  let asked: unknown;
  vscode.answers.set("vscode.open", (uri) => (asked = uri));
  await open(file("p.png"), undefined, false);
  assert.equal(String(asked), String(vscode.Uri.file(file("p.png"))));
});

test("active: documents, but no output panels", async (t) => {
  const file = project(t, { "a.txt": "one\ntwo\n" });
  assert.deepEqual(active(), {});
  const doc = await shown(file("a.txt"));
  const selection = new vscode.Selection(new vscode.Position(0, 1), new vscode.Position(1, 2));
  vscode.window.visibleTextEditors = [{ document: doc, selection }];
  // VS Code counts the output panel as an editor.
  vscode.window.activeTextEditor = { document: new vscode.TextDocument(vscode.Uri.other("output", "Dougu"), "") };
  assert.deepEqual(active(), {});
  vscode.window.tabGroups.activeTabGroup = { activeTab: { input: new vscode.TabInputText(doc.uri) } };
  assert.deepEqual(active().active, {
    path: file("a.txt"),
    version: 1,
    cursor: { line: 1, character: 2 },
    selection: { start: { line: 0, character: 1 }, end: { line: 1, character: 2 } },
    dirty: false,
  });
  const untitled = new vscode.TextDocument(vscode.Uri.other("untitled", "Untitled-1"), "x");
  vscode.window.activeTextEditor = { document: untitled, selection: new vscode.Selection(new vscode.Position(0, 0), new vscode.Position(0, 0)) };
  assert.equal(active().active?.path, "");
  assert.equal(active().active?.selection, undefined);
});
