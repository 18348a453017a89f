// The server of TypeScript answers what is wrong in a document when it is asked, and so tells what is so now. VS Code itself asks
// it only for documents that have a tab.
import * as vscode from "vscode";

const request = "typescript.tsserverRequest";
const languages: Record<string, string> = { typescript: "ts", typescriptreact: "ts", javascript: "js", javascriptreact: "js" };

/** isScript tells whether there is a server of TypeScript to be asked for a document. */
export function isScript(doc: vscode.TextDocument): boolean {
  if (!Object.keys(languages).includes(doc.languageId)) return false;
  const section = doc.languageId.startsWith("typescript") ? "typescript" : "javascript";
  return vscode.workspace.getConfiguration(section, doc.uri).get("validate.enable", true);
}

export const sourceOf = (doc: vscode.TextDocument) => languages[doc.languageId] ?? "";

interface Place {
  line: number;
  offset: number;
}

interface Answer {
  body?: { start: Place; end: Place; text: string; code?: number; category: string; source?: string }[];
}

const requests = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];

/** validate asks for what is wrong in a document. It fails where the extension for TypeScript is off, old or not yet up. */
export async function validate(doc: vscode.TextDocument): Promise<vscode.Diagnostic[]> {
  const answers = await Promise.all(
    requests.map((command) => Promise.resolve(vscode.commands.executeCommand<Answer | undefined>(request, command, { file: doc.uri }))),
  );
  return answers.flatMap((answer) => {
    if (!Array.isArray(answer?.body)) throw new Error("the server of TypeScript has not answered");
    return answer.body.map((d) => toDiagnostic(doc, d));
  });
}

type Told = NonNullable<Answer["body"]>[number];

const { Error: error, Warning: warning, Hint: hint } = vscode.DiagnosticSeverity;

function toDiagnostic(doc: vscode.TextDocument, told: Told): vscode.Diagnostic {
  const at = (p: Place) => new vscode.Position(Math.max(p.line - 1, 0), Math.max(p.offset - 1, 0));
  const severity = told.category === "suggestion" ? hint : told.category === "warning" ? warning : error;
  const d = new vscode.Diagnostic(new vscode.Range(at(told.start), at(told.end)), told.text, severity);
  d.source = told.source ?? sourceOf(doc);
  d.code = told.code;
  return d;
}
