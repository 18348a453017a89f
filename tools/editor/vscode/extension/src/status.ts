// The item of Dougu in the status bar.
import * as vscode from "vscode";
import type { State } from "./session";

/** describe returns the text and the tooltip of the status bar for a state. `bad` is true after a failure. */
export function describe({ listening, clients, server, fault }: State): { text: string; tooltip: string; bad: boolean } {
  const lines = [
    listening ? "Servers can connect to this window." : "Servers cannot connect to this window.",
    ...clients.map(({ name, version, pid }) => `Connected: ${name} ${version} (process ${pid})`),
    ...(server ? [`Serves MCP at ${server}`] : []),
    ...(fault ? [`Failed: ${fault}`] : []),
  ];
  const icon = fault ? "$(error)" : listening ? "$(plug)" : "$(debug-disconnect)";
  return { text: `${icon} Dougu${clients.length > 0 ? ` ${clients.length}` : ""}`, tooltip: lines.join("\n"), bad: fault !== undefined };
}

export function statusBar(): { item: vscode.StatusBarItem; show: (state: State) => void } {
  const item = vscode.window.createStatusBarItem("dougu", vscode.StatusBarAlignment.Right, 50);
  item.name = "Dougu";
  item.command = "dougu.showLog";
  item.show();
  const show = (state: State) => {
    const { text, tooltip, bad } = describe(state);
    item.text = text;
    item.tooltip = tooltip;
    item.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  };
  return { item, show };
}
