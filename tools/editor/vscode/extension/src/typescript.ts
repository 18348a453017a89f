// Requests diagnostics from the TypeScript server, so that they are current. VS Code itself requests them only for documents with a tab.
import * as vscode from "vscode";

const request = "typescript.tsserverRequest";
const languages: Record<string, string> = { typescript: "ts", typescriptreact: "ts", javascript: "js", javascriptreact: "js" };

/** isScript reports whether the TypeScript server checks a document. */
export function isScript(doc: vscode.TextDocument): boolean {
  if (!Object.keys(languages).includes(doc.languageId)) return false;
  const section = doc.languageId.startsWith("typescript") ? "typescript" : "javascript";
  return vscode.workspace.getConfiguration(section, doc.uri).get("validate.enable", true);
}

export const sourceOf = (doc: vscode.TextDocument) => languages[doc.languageId] ?? "";

/** Place is a position of the TypeScript server, counted from 1. */
interface Place {
  line: number;
  offset: number;
}

interface Answer {
  body?: { start: Place; end: Place; text: string; code?: number; category: string; source?: string }[];
}

const requests = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

/** validate requests the diagnostics of a document. It throws if the extension for TypeScript is disabled, too old or not yet started. */
export async function validate(doc: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  const answers = await Promise.all(
    requests.map((command) => Promise.resolve(vscode.commands.executeCommand<Answer | undefined>(request, command, { file: doc.uri }))),
  );
  return answers.flatMap((answer) => {
    if (!Array.isArray(answer?.body)) throw new Error("the TypeScript server has not responded");
    return answer.body.map((d) => toDiagnostic(doc, d));
  });
}

type Reported = NonNullable<Answer["body"]>[number];

const { Error: error, Warning: warning, Hint: hint } = vscode.DiagnosticSeverity;

function toDiagnostic(doc: vscode.TextDocument, reported: Reported): vscode.Diagnostic {
  const at = (p: Place) => new vscode.Position(Math.max(p.line - 1, 0), Math.max(p.offset - 1, 0));
  const severity = reported.category === "suggestion" ? hint : reported.category === "warning" ? warning : error;
  const d = new vscode.Diagnostic(new vscode.Range(at(reported.start), at(reported.end)), reported.text, severity);
  d.source = reported.source ?? sourceOf(doc);
  d.code = reported.code;
  return d;
}
