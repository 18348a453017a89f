// Registers the server of the settings for the agents of VS Code, in versions with an API for it (1.101 and later).
import * as vscode from "vscode";
import * as settings from "./settings";

type Definition = new (label: string, command: string, args: string[], env: Record<string, string>, version: string) => { cwd?: vscode.Uri };

interface Provider {
  onDidChangeMcpServerDefinitions: vscode.Event<void>;
  provideMcpServerDefinitions(): unknown[];
}

/** Later is the part of the API that older versions of VS Code lack. */
interface Later {
  lm?: { registerMcpServerDefinitionProvider?: (id: string, provider: Provider) => vscode.Disposable };
  McpStdioServerDefinition?: Definition;
}

/** offer registers the server for the agents of VS Code. It returns undefined if this version has no API for it. changed fires when the settings may have changed. */
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
    return undefined; // before 1.101 the API was a proposal, which VS Code denies to released extensions
  }
}
