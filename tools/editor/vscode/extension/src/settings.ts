// The settings of the user.
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** Server is the command line of an MCP server. */
export interface Server {
  command: string;
  args: string[];
  env: Record<string, string>;
  /** cwd is the home directory, not the project, because Windows searches for programs there first. */
  cwd: string;
}

/** tools returns the names of the tools that the settings of the manifest can turn off. */
export function tools(manifest: { contributes: { configuration: { properties: object }[] } }): string[] {
  const names = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  return names.flatMap((name) => /^dougu\.tools\.(\w+)$/.exec(name)?.[1] ?? []);
}

/** denied returns the tools that the user or the project has turned off. Neither can turn on a tool that the other has turned off. */
export function denied(all: string[]): string[] {
  const settings = vscode.workspace.getConfiguration("dougu.tools");
  return all.filter((name) => {
    const set = settings.inspect<boolean>(name);
    return [set?.globalValue, set?.workspaceValue, set?.workspaceFolderValue].includes(false);
  });
}

/** server returns the server of the settings, or undefined if none is set or the folder is not trusted. Only the user can set it, not an open project. */
export function server(all: string[]): Server | undefined {
  const settings = vscode.workspace.getConfiguration("dougu.server");
  const command = settings.get<string>("command", "").trim();
  const folder = (vscode.workspace.workspaceFolders ?? []).find((f) => f.uri.scheme === "file")?.uri.fsPath;
  if (command === "" || folder === undefined || !vscode.workspace.isTrusted) return undefined;
  if (!path.isAbsolute(command) && /[\\/]/.test(command)) return undefined; // a relative path may be a program of the project
  const fill = (text: string) => text.split("${workspaceFolder}").join(folder);
  const env = Object.fromEntries(Object.entries(settings.get<Record<string, unknown>>("env", {})).map(([k, v]) => [k, fill(String(v))]));
  const off = denied(all);
  if (off.length > 0) env.DOUGU_TOOLS_DENIED = off.join(",");
  return { command, args: settings.get<string[]>("args", []).map((arg) => fill(String(arg))), env, cwd: os.homedir() };
}

export const isEnabled = () => vscode.workspace.getConfiguration("dougu").get("enabled", true);
export const startsAutomatically = () => vscode.workspace.getConfiguration("dougu.server").get("autoStart", false);
export const address = () => vscode.workspace.getConfiguration("dougu.server").get("address", "127.0.0.1:3845");
