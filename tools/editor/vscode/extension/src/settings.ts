// What the user has set.
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** Server is how an MCP server is started. */
export interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** cwd is not the project: Windows looks for programs in it first. */
  cwd: string;
}

/** tools are those that can be turned off, as the manifest lists them. */
export function tools(manifest: { contributes: { configuration: { properties: object }[] } }): string[] {
  const names = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  return names.flatMap((name) => /^dougu\.tools\.(\w+)$/.exec(name)?.[1] ?? []);
}

/** denied are the tools that the user or the project has turned off. What one of them has turned off, the other cannot turn on. */
export function denied(all: string[]): string[] {
  const settings = vscode.workspace.getConfiguration("dougu.tools");
  return all.filter((name) => {
    const set = settings.inspect<boolean>(name);
    return [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue].includes(false);
  });
}

/** server is the one that is set, or undefined. Only the user can set it, not a project that happens to be open. */
export function server(all: string[]): Server | undefined {
  const settings = vscode.workspace.getConfiguration("dougu.server");
  const command = settings.get<string>("command", "").trim();
  const folder = (vscode.workspace.workspaceFolders ?? []).find((f) => f.uri.scheme === "file")?.uri.fsPath;
  if (command === "" || folder === undefined || !vscode.workspace.isTrusted) return undefined;
  if (!path.isAbsolute(command) && /[\\/]/.test(command)) return undefined; // a program of the project, perhaps
  const fill = (text: string) => text.split("${workspaceFolder}").join(folder);
  const env = Object.fromEntries(Object.entries(settings.get<Record<string, unknown>>("env", {})).map(([k, v]) => [k, fill(String(v))]));
  const off = denied(all);
  if (off.length > 0) env.DOUGU_TOOLS_DENIED = off.join(",");
  return { command, args: settings.get<string[]>("args", []).map((arg) => fill(String(arg))), env, cwd: os.homedir() };
}

export const isEnabled = () => vscode.workspace.getConfiguration("dougu").get("enabled", true);
export const startsItself = () => vscode.workspace.getConfiguration("dougu.server").get("autoStart", false);
export const address = () => vscode.workspace.getConfiguration("dougu.server").get("address", "127.0.0.1:3845");
