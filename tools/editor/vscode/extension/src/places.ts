// Paths as servers write them, with every link resolved, and URIs as VS Code writes them, which has opened a folder by any name.
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { Code, Fault } from "./wire";

/** real resolves every link of a path, of which the end need not be there. */
export function real(file: string): string {
  const missing: string[] = [];
  for (let at = file; ; at = path.dirname(at)) {
    try {
      return path.join(fs.realpathSync.native(at), ...missing);
    } catch {
      if (path.dirname(at) === at) return file;
      missing.unshift(path.basename(at));
    }
  }
}

/** within is the way from a directory to what lies in it, or undefined. */
export function within(dir: string, file: string): string | undefined {
  const way = path.relative(dir, file);
  return way === ".." || way.startsWith(".." + path.sep) || path.isAbsolute(way) ? undefined : way;
}

/** folders are those of the window that are on this machine. */
export function folders(): { uri: vscode.Uri; path: string }[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((f) => f.uri.scheme === "file")
    .map((f) => ({ uri: f.uri, path: real(f.uri.fsPath) }));
}

/** pathOf is the path of a file, or undefined for what is none. */
export function pathOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === "file" ? real(uri.fsPath) : undefined;
}

/** uriOf is the URI of a file in the folders of the window. Others are refused. */
export function uriOf(file: string): vscode.Uri {
  if (!path.isAbsolute(file) || file.includes("\0")) throw new Fault(Code.invalidParams, "a path must be absolute");
  for (const folder of folders()) {
    const way = within(folder.path, file);
    if (way === undefined) continue;
    const uri = vscode.Uri.joinPath(folder.uri, ...way.split(path.sep));
    return vscode.workspace.textDocuments.find((d) => d.uri.scheme === "file" && d.uri.fsPath !== uri.fsPath && sameFile(d.uri, file))?.uri ?? uri;
  }
  throw new Fault(Code.unsupported, `${file} is not in the folders of this window`);
}

/** sameFile tells whether a document that was opened by another name is a file. */
function sameFile(uri: vscode.Uri, file: string): boolean {
  return path.basename(uri.fsPath).toLowerCase() === path.basename(file).toLowerCase() && real(uri.fsPath) === file;
}
