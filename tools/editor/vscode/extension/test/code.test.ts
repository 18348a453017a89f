import assert from "node:assert/strict";
import { test } from "node:test";
import { format, indentation } from "../src/format";
import { definition, rename, symbols, workspaceSymbols } from "../src/navigate";
import { Code } from "../src/wire";
import { code, project, shown } from "./project";
import * as vscode from "./vscode";

const range = (a: number, b: number, c: number, d: number) => new vscode.Range(new vscode.Position(a, b), new vscode.Position(c, d));

test("indentation: tabs, spaces and mixed texts", () => {
  const cases: [string, string, object][] = [
    ["nothing", "", {}],
    ["no indentation", "a\nb\n", {}],
    ["tabs", "a\n\tb\n\t\tc\n", { insertSpaces: false }],
    ["two spaces", "a\n  b\n    c\n  d\n", { insertSpaces: true, tabSize: 2 }],
    ["four spaces", "a\r\n    b\r\n        c\r\n", { insertSpaces: true, tabSize: 4 }],
    ["empty lines count for nothing", "a\n  b\n      \n\t\n  c\n", { insertSpaces: true, tabSize: 2 }],
    ["comments that are aligned by one", "/*\n * a\n */\na\n    b\n", { insertSpaces: true, tabSize: 4 }],
  ];
  for (const [name, text, want] of cases) assert.deepEqual(indentation(text), want, name);
});

test("format: options of the editor, the settings or the text", async (t) => {
  const file = project(t, { "a.py": "a\n  b\n" });
  let options: unknown;
  vscode.answers.set("vscode.executeFormatDocumentProvider", (_uri, given) => {
    options = given;
    return [new vscode.TextEdit(range(1, 0, 1, 2), "    ")];
  });
  const answer = await format({ path: file("a.py") }, new Set());
  assert.equal(answer.edits[0]?.newText, "    ");
  assert.deepEqual(options, { tabSize: 2, insertSpaces: true });
  vscode.set.set("editor.detectIndentation", { globalValue: false });
  vscode.set.set("editor.tabSize", { globalValue: 8 });
  await format({ path: file("a.py") }, new Set());
  assert.deepEqual(options, { tabSize: 8, insertSpaces: true });
  vscode.window.visibleTextEditors = [{ document: vscode.workspace.textDocuments[0] as vscode.TextDocument, options: { tabSize: 3, insertSpaces: false } }];
  await format({ path: file("a.py") }, new Set());
  assert.deepEqual(options, { tabSize: 3, insertSpaces: false });
});

test("format: a range, and a language without a formatter", async (t) => {
  const file = project(t, { "a.py": "a\nb\n" });
  const part = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  vscode.answers.set("vscode.executeFormatRangeProvider", (_uri, given) => {
    assert.equal((given as vscode.Range).end.line, 2);
    return undefined;
  });
  vscode.answers.set("vscode.executeFormatDocumentProvider", () => undefined);
  await assert.rejects(format({ path: file("a.py") }, new Set(), part), code(Code.unsupported));
});

test("format: a formatted document with and without a formatter", async (t) => {
  const file = project(t, { "a.py": "a\n    b\n" });
  const seen = new Set<string>();
  const tabs: unknown[] = [];
  vscode.answers.set("vscode.executeFormatDocumentProvider", (_uri, given) => {
    tabs.push((given as { tabSize: number }).tabSize);
    return (given as { tabSize: number }).tabSize === 4 ? undefined : [new vscode.TextEdit(range(1, 0, 1, 4), "   ")];
  });
  assert.deepEqual(await format({ path: file("a.py") }, seen), { edits: [] });
  assert.deepEqual(tabs, [4, 3], "asked again, in a way that would change something");
  vscode.answers.set("vscode.executeFormatDocumentProvider", () => undefined);
  await assert.rejects(format({ path: file("a.py") }, seen), code(Code.unsupported));
  vscode.set.set("editor.defaultFormatter", { globalValue: "some.formatter" });
  assert.deepEqual(await format({ path: file("a.py") }, seen), { edits: [] });
  assert.deepEqual(await format({ path: file("a.py") }, new Set(["python"])), { edits: [] });
});

test("format, rename: a change during the request is stale", async (t) => {
  const file = project(t, { "a.py": "a\n" });
  const doc = await shown(file("a.py"));
  const typing = (answer: unknown) => () => {
    doc.change("b\n");
    return answer;
  };
  vscode.answers.set("vscode.executeFormatDocumentProvider", typing([new vscode.TextEdit(range(0, 0, 0, 1), "b")]));
  vscode.answers.set("vscode.executeDefinitionProvider", typing([]));
  vscode.answers.set("vscode.executeDocumentRenameProvider", typing(new vscode.WorkspaceEdit()));
  const at = { line: 0, character: 0 };
  await assert.rejects(format({ path: file("a.py") }, new Set()), code(Code.stale));
  await assert.rejects(definition({ path: file("a.py") }, at), code(Code.stale));
  await assert.rejects(rename({ path: file("a.py") }, at, "x"), code(Code.stale));
});

test("navigate: results that no extension has are unsupported", async (t) => {
  const file = project(t, { "a.py": "a\n" });
  for (const name of ["Definition", "DocumentRename", "DocumentSymbol"]) vscode.answers.set(`vscode.execute${name}Provider`, () => undefined);
  const at = { line: 0, character: 0 };
  await assert.rejects(definition({ path: file("a.py") }, at), code(Code.unsupported));
  await assert.rejects(rename({ path: file("a.py") }, at, "x"), code(Code.unsupported));
  await assert.rejects(symbols({ path: file("a.py") }), code(Code.unsupported));
});

test("symbols: containers come first", async (t) => {
  const file = project(t, { "a.py": "a\n" });
  const symbol = (name: string, kind: vscode.SymbolKind, children: object[] = []) => ({ name, kind, range: range(0, 0, 9, 0), selectionRange: range(0, 6, 0, 7), children });
  vscode.answers.set("vscode.executeDocumentSymbolProvider", () => [
    symbol("A", vscode.SymbolKind.Class, [symbol("B", vscode.SymbolKind.Class, [symbol("c", vscode.SymbolKind.Method)])]),
  ]);
  assert.deepEqual(
    (await symbols({ path: file("a.py") })).symbols.map((s) => [s.name, s.kind, s.container]),
    [
      ["A", "class", undefined],
      ["B", "class", "A"],
      ["c", "method", "A.B"],
    ],
  );
  const location = (uri: vscode.Uri) => ({ uri, range: range(0, 0, 1, 0) });
  vscode.answers.set("vscode.executeWorkspaceSymbolProvider", () => [
    { name: "area()", kind: vscode.SymbolKind.Function, containerName: "", location: location(vscode.Uri.file(file("a.py"))) },
    { name: "elsewhere", kind: vscode.SymbolKind.Class, containerName: "m", location: location(vscode.Uri.other("jar", "x")) },
  ]);
  assert.deepEqual(
    (await workspaceSymbols("a")).symbols.map((s) => [s.name, s.kind, s.container, s.path]),
    [["area", "function", undefined, file("a.py")]],
  );
});
