// The server, offered to the agents of VS Code itself, where they can be told of servers (1.101 and later).
import * as vscode from "vscode";
import * as settings from "./settings";

type Definition = new (label: string, command: string, args: string[], env: Record<string, string>, version: string) => { cwd?: vscode.Uri };

interface Provider {
  onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): unknown[];
}

interface Later {
  lm?: { registerMcpServerDefinitionProvider?: (id: string, provider: Provider) => vscode.Disposable };
  McpStdioServerDefinition?: Definition;
}

/** offer tells the agents of VS Code of the server. changed fires when the settings may be others. */
export function offer(tools: string[], version: string, changed: vscode.Event<void>): vscode.Disposable | undefined {
  const { lm, McpStdioServerDefinition: Stdio } = vscode as unknown as Later;
  if (!Stdio || !lm?.registerMcpServerDefinitionProvider) return undefined;
  const provider: Provider = {
    onDidChangeMcpServerDefinitions: changed,
    provideMcpServerDefinitions() {
      const server = settings.server(tools);
      if (!server) return [];
      const definition = new Stdio("Dougu", server.command, server.args, server.env, version);
      definition.cwd = vscode.Uri.file(server.cwd);
      return [definition];
    },
  };
  try {
    return lm.registerMcpServerDefinitionProvider("dougu", provider);
  } catch {
    return undefined; // before 1.101 it was being tried out, and refuses those who know only what has become of it
  }
}
