// A project in a temporary directory, as the folder of the window.
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import type { TestContext } from "node:test";
import type { Fault } from "../src/wire";
import * as vscode from "./vscode";

export function project(t: TestContext, files: Record<string, string>): (name: string) => string {
  const dir = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "dougu-test-")));
  t.after(() => fs.rmSync(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(path.join(dir, name), text);
  vscode.reset(dir);
  return (name) => path.join(dir, name);
}

/** code tells whether an error is a fault with a code. */
export const code = (wanted: number) => (err: unknown) => (err as Fault).code === wanted;

/** shown is the document of a file that has a tab. */
export async function shown(file: string): Promise<vscode.TextDocument> {
  const doc = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  await vscode.window.showTextDocument(doc, {});
  return doc;
}
