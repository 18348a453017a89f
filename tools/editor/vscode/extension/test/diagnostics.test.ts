import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import type * as real from "vscode";
import { diagnose, diagnoseAll } from "../src/diagnostics";
import { fixes } from "../src/fixes";
import { refactorings } from "../src/refactorings";
import { Tracker } from "../src/tracker";
import { Code, type Diagnostic } from "../src/wire";
import { code, project, shown } from "./project";
import * as vscode from "./vscode";

const never = new AbortController().signal;
const soon = () => Date.now() + 300;
const range = (a: number, b: number, c: number, d: number) => new vscode.Range(new vscode.Position(a, b), new vscode.Position(c, d));
const speaks = (...languages: string[]) => ({ packageJSON: { main: "x", activationEvents: languages.map((l) => `onLanguage:${l}`) } });

test("diagnose: a language without an extension is not covered", async (t) => {
  const file = project(t, { "a.go": "package a\n" });
  vscode.extensions.all = [{ packageJSON: { contributes: {} } }, speaks("python")];
  const start = Date.now();
  const answer = await diagnose([file("a.go"), file("missing.go"), "/etc/passwd"], start + 60_000, new Tracker(), never);
  assert.deepEqual(answer.covered, []);
  assert.equal(answer.notes.length, 3);
  assert.ok(Date.now() - start < 30_000);
});

test("diagnose: waits for a report of an extension", async (t) => {
  const file = project(t, { "a.py": "x\n" });
  vscode.extensions.all = [speaks("python")];
  const doc = await shown(file("a.py"));
  const tracker = new Tracker();
  tracker.changed(doc as unknown as real.TextDocument);
  assert.deepEqual((await diagnose([file("a.py")], soon(), tracker, never)).covered, []);
  const waiting = diagnose([file("a.py")], Date.now() + 60_000, tracker, never);
  setTimeout(() => {
    vscode.languages.found.set(String(doc.uri), [new vscode.Diagnostic(range(0, 0, 0, 1), "undefined name", vscode.DiagnosticSeverity.Warning)]);
    tracker.reported(doc as unknown as real.TextDocument);
  }, 20);
  const answer = await waiting;
  assert.deepEqual([answer.fresh, answer.covered, answer.items.map((d) => [d.path, d.severity, d.message])], [
    true,
    [file("a.py")],
    [[file("a.py"), "warning", "undefined name"]],
  ]);
});

test("diagnose: a changed file that VS Code has not read is not fresh", async (t) => {
  const file = project(t, { "a.py": "x\n" });
  vscode.extensions.all = [speaks("python")];
  const doc = await shown(file("a.py"));
  const tracker = new Tracker();
  tracker.changed(doc as unknown as real.TextDocument);
  tracker.reported(doc as unknown as real.TextDocument);
  fs.writeFileSync(file("a.py"), "y\n");
  const answer = await diagnose([file("a.py")], soon(), tracker, never);
  assert.equal(answer.fresh, false);
  assert.match(answer.notes[0] ?? "", /has not yet read the change of /);
});

test("diagnose: combines the TypeScript server and linters", async (t) => {
  const file = project(t, { "a.ts": "let x: number = 'a'\n" });
  vscode.extensions.all = [speaks("typescript")];
  const body = (command: unknown) =>
    command === "semanticDiagnosticsSync" ? [{ start: { line: 1, offset: 5 }, end: { line: 1, offset: 6 }, text: "Type", code: 2322, category: "error" }] : [];
  let asked = 0;
  vscode.answers.set("typescript.tsserverRequest", (command) => {
    if (asked++ === 0) throw new Error("the server is starting");
    return { body: body(command) };
  });
  const old = new vscode.Diagnostic(range(0, 0, 0, 1), "of a text that is gone");
  old.source = "ts";
  const lint = new vscode.Diagnostic(range(0, 0, 0, 3), "use const");
  lint.source = "eslint";
  vscode.languages.found.set(String(vscode.Uri.file(file("a.ts"))), [old, lint]);
  const answer = await diagnose([file("a.ts")], Date.now() + 60_000, new Tracker(), never);
  assert.equal(answer.fresh, true);
  assert.deepEqual(
    answer.items.map((d) => [d.source, d.code, d.range.start.character, d.message]),
    [
      ["ts", "2322", 4, "Type"],
      ["eslint", undefined, 0, "use const"],
    ],
  );
});

test("diagnoseAll: only reported diagnostics of the workspace", async (t) => {
  const file = project(t, { "a.py": "x\n" });
  vscode.languages.found.set(String(vscode.Uri.file(file("a.py"))), [new vscode.Diagnostic(range(0, 0, 0, 1), "bad")]);
  vscode.languages.found.set("file:///elsewhere/b.py", [new vscode.Diagnostic(range(0, 0, 0, 1), "bad")]);
  const answer = await diagnoseAll(soon(), new Tracker(), never);
  assert.deepEqual([answer.fresh, answer.items.map((d) => d.path)], [false, [file("a.py")]]);
});

test("fixes: only actions with edits for the diagnostic", async (t) => {
  const file = project(t, { "a.py": "x\n" });
  const of: Diagnostic = { path: file("a.py"), range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } }, severity: "error", message: "undefined name", code: "7" };
  await assert.rejects(fixes({ path: file("a.py") }, of, never), code(Code.unsupported));
  assert.equal(vscode.window.visibleTextEditors.length, 0, "nothing is shown in vain");
  vscode.extensions.all = [speaks("python")];
  const doc = vscode.workspace.textDocuments[0] as vscode.TextDocument;
  const found = new vscode.Diagnostic(range(0, 0, 0, 1), "undefined name");
  found.code = 7;
  const edit = new vscode.WorkspaceEdit();
  edit.set(doc.uri, [new vscode.TextEdit(range(0, 0, 0, 0), "import x\n")]);
  const snippet = new vscode.WorkspaceEdit();
  snippet.set(doc.uri, [new vscode.SnippetTextEdit()]);
  const other = new vscode.Diagnostic(range(0, 0, 0, 1), "something else");
  vscode.answers.set("vscode.executeCodeActionProvider", (...args) => {
    assert.deepEqual([String(args[0]), args[2]], [String(doc.uri), "quickfix"]);
    return [
      { title: "Import x", kind: { value: "quickfix.import" }, isPreferred: true, edit, diagnostics: [found], command: { command: "telemetry" } },
      { title: "of another", edit, diagnostics: [other] },
      { title: "a snippet", edit: snippet, diagnostics: [found] },
      { title: "not now", edit, disabled: { reason: "no" } },
      { title: "runs a command", command: { command: "lint.fix", title: "" } },
      { title: "is a command", command: "lint.show" },
      { title: "changes nothing", edit: new vscode.WorkspaceEdit() },
      { title: "Import for all", edit },
    ];
  });
  const asking = fixes({ path: file("a.py") }, of, never);
  setTimeout(() => vscode.languages.found.set(String(doc.uri), [found]), 20); // after the document got its tab
  const answer = await asking;
  assert.deepEqual(
    answer.fixes.map((f) => [f.title, f.kind, f.preferred, f.edits?.[0]?.edits?.[0]?.newText]),
    [
      ["Import x", "quickfix.import", true, "import x\n"],
      ["Import for all", "quickfix", undefined, "import x\n"],
    ],
  );
  assert.deepEqual(answer.left, ["runs a command", "is a command"]);
  // The tab was opened beside the active editor, and is closed again.
  assert.equal(vscode.window.visibleTextEditors[0]?.document, doc);
  assert.deepEqual(vscode.window.tabGroups.all.flatMap((group) => group.tabs), []);
  assert.equal(answer.fixes[0]?.edits?.[0]?.version, undefined);
});

test("refactorings: kinds are passed on, and only actions with edits are returned", async (t) => {
  const file = project(t, { "a.py": "x\n" });
  vscode.extensions.all = [speaks("python")];
  const doc = await shown(file("a.py"));
  const edit = new vscode.WorkspaceEdit();
  edit.set(doc.uri, [new vscode.TextEdit(range(0, 0, 0, 0), "import x\n")]);
  const asked: unknown[] = [];
  vscode.answers.set("vscode.executeCodeActionProvider", (...args) => {
    asked.push(args[2]);
    return [
      { title: "Extract", kind: { value: "refactor.extract.function" }, isPreferred: true, edit },
      { title: "not now", kind: { value: "refactor.inline" }, disabled: { reason: "no call" } },
      { title: "runs a command", kind: { value: "refactor.move" }, edit, command: { command: "move", title: "" } },
      { title: "is a command", command: "show" },
      { title: "changes nothing", edit: new vscode.WorkspaceEdit() },
    ];
  });
  const whole = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
  const answer = await refactorings({ path: file("a.py") }, whole, ["refactor.extract", "refactor.inline"], never);
  assert.deepEqual(asked, ["refactor.extract", "refactor.inline"]);
  assert.deepEqual(
    answer.refactorings.map((r) => [r.title, r.kind, r.preferred, r.disabled, r.edits?.[0]?.edits?.[0]?.newText]),
    [
      ["Extract", "refactor.extract.function", true, undefined, "import x\n"],
      ["not now", "refactor.inline", undefined, "no call", undefined],
    ],
  );
  assert.deepEqual(answer.left.slice(0, 2), ["runs a command", "is a command"]);
});
