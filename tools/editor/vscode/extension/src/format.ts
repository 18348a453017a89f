// Formatting of documents with the formatters of the window.
import * as vscode from "vscode";
import { fromEdit, toRange } from "./convert";
import { expected } from "./documents";
import { Known, Range, stale, TextEdit, unsupported } from "./wire";

/** format returns the edits that format a document or a part of it. formatters are the languages with a known formatter; format adds to them. */
export async function format(known: Known, formatters: Set<string>, part?: Range): Promise<{ edits: TextEdit[] }> {
  const doc = await expected(known);
  const version = doc.version;
  const how = options(doc);
  const run = (command: string, ...args: unknown[]) => vscode.commands.executeCommand<vscode.TextEdit[] | undefined>(command, doc.uri, ...args);
  const edits = await (part
    ? run("vscode.executeFormatRangeProvider", doc.validateRange(toRange(part)), how)
    : run("vscode.executeFormatDocumentProvider", how));
  if (edits?.length) {
    formatters.add(doc.languageId);
  } else if (!formatters.has(doc.languageId) && !(await hasFormatter(doc, (other) => run("vscode.executeFormatDocumentProvider", other)))) {
    throw unsupported(`VS Code has no formatter for ${doc.languageId}, or does not show one`);
  }
  if (doc.version !== version) throw stale(`${known.path} changed during formatting`);
  return { edits: (edits ?? []).map(fromEdit) };
}

/** hasFormatter reports whether VS Code has a formatter for a document. VS Code returns an empty list both for a formatted document and without a formatter. */
async function hasFormatter(doc: vscode.TextDocument, run: (other: vscode.FormattingOptions) => Thenable<vscode.TextEdit[] | undefined>): Promise<boolean> {
  if (vscode.workspace.getConfiguration("editor", doc).get<string | null>("defaultFormatter", null)) return true;
  const { tabSize, insertSpaces } = options(doc);
  const edits = await run({ tabSize: tabSize === 3 ? 5 : 3, insertSpaces: !insertSpaces }); // unusual options, with which a formatter changes every text
  return Boolean(edits?.length);
}

/** options returns the formatting options of the editor that shows a document, otherwise those of the settings and of the text. */
export function options(doc: vscode.TextDocument): vscode.FormattingOptions {
  const shown = vscode.window.visibleTextEditors.find((e) => e.document === doc)?.options;
  if (typeof shown?.tabSize === "number" && typeof shown.insertSpaces === "boolean") {
    return { tabSize: shown.tabSize, insertSpaces: shown.insertSpaces };
  }
  const settings = vscode.workspace.getConfiguration("editor", doc);
  const fixed = { tabSize: settings.get("tabSize", 4), insertSpaces: settings.get("insertSpaces", true) };
  return settings.get("detectIndentation", true) ? { ...fixed, ...indentation(doc.getText()) } : fixed;
}

/** indentation detects the indentation of a text: tabs, or the most frequent increase between two lines. It returns {} if the text has none. */
export function indentation(text: string): Partial<vscode.FormattingOptions> {
  let tabs = 0;
  let spaces = 0;
  let before = 0;
  const steps = new Map<number, number>();
  for (const line of text.split(/\r\n?|\n/, 5000)) {
    const [lead = ""] = /^[ \t]*/.exec(line) ?? [];
    if (lead.length === line.length) continue;
    if (lead.startsWith("\t")) tabs++;
    else {
      if (lead.length > 1) spaces++;
      const step = lead.length - before;
      if (step > 1 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
      before = lead.length;
    }
  }
  if (tabs > spaces) return { insertSpaces: false };
  const [best] = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best ? { insertSpaces: true, tabSize: best[0] } : {};
}
