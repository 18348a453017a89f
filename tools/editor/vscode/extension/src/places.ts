// Converts between the paths of servers, with every link resolved, and the URIs of VS Code, whose folders may be opened by any name.
import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";
import { Code, Fault } from "./wire";

/** real resolves every link of a path. The last parts of the path need not exist. */
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

/** within returns the relative path of a file in a directory, or undefined if the file is outside. */
export function within(dir: string, file: string): string | undefined {
  const relative = path.relative(dir, file);
  return relative === ".." || relative.startsWith(".." + path.sep) || path.isAbsolute(relative) ? undefined : relative;
}

/** folders returns the folders of the window that are on this machine. */
export function folders(): { uri: vscode.Uri; path: string }[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((f) => f.uri.scheme === "file")
    .map((f) => ({ uri: f.uri, path: real(f.uri.fsPath) }));
}

/** foreign returns the URIs of the folders of the window that are not on this machine. */
export function foreign(): string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme !== "file").map((f) => f.uri.toString(true).slice(0, 500));
}

/** pathOf returns the path of a file, or undefined for other URIs. */
export function pathOf(uri: vscode.Uri): string | undefined {
  return uri.scheme === "file" ? real(uri.fsPath) : undefined;
}

/** uriOf returns the URI of a file in the folders of the window. It throws a Fault for other paths. */
export function uriOf(file: string): vscode.Uri {
  if (!path.isAbsolute(file) || file.includes("\0")) throw new Fault(Code.invalidParams, "a path must be absolute");
  for (const folder of folders()) {
    const relative = within(folder.path, file);
    if (relative === undefined) continue;
    const uri = vscode.Uri.joinPath(folder.uri, ...relative.split(path.sep));
    return vscode.workspace.textDocuments.find((d) => d.uri.scheme === "file" && d.uri.fsPath !== uri.fsPath && sameFile(d.uri, file))?.uri ?? uri;
  }
  throw new Fault(Code.unsupported, `${file} is not in the folders of this window`);
}

/** uriOfOpen returns the URI of a file that may be outside of the folders of the window if a document of it is loaded. */
export function uriOfOpen(file: string): vscode.Uri {
  try {
    return uriOf(file);
  } catch (err) {
    const doc = vscode.workspace.textDocuments.find((d) => d.isDirty && d.uri.scheme === "file" && sameFile(d.uri, file));
    if (doc) return doc.uri;
    throw err;
  }
}

/** sameFile reports whether a URI with another name is that of a file. */
function sameFile(uri: vscode.Uri, file: string): boolean {
  return path.basename(uri.fsPath).toLowerCase() === path.basename(file).toLowerCase() && real(uri.fsPath) === file;
}
