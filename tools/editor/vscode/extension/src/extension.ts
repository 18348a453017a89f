// The entry points of the extension, which VS Code calls.
import * as vscode from "vscode";
import { offer } from "./agents";
import { track } from "./diagnostics";
import { Disk, watch } from "./disk";
import { watchUnsaved } from "./documents";
import { Log } from "./log";
import { methods, service, windowState } from "./methods";
import { Session } from "./session";
import * as settings from "./settings";
import { statusBar } from "./status";
import { Tracker } from "./tracker";

let session: Session | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const manifest = context.extension.packageJSON as { version: string; contributes: { configuration: { properties: object }[] } };
  const output = vscode.window.createOutputChannel("Dougu", { log: true });
  const tracker = new Tracker();
  const disk = new Disk();
  const tools = settings.tools(manifest);
  const { item, show } = statusBar();
  const log = new Log(output);
  const on = new Session((changed) => service(methods(tracker, disk), log, manifest.version, changed), manifest.version, tools, output, show);
  session = on;
  const changes = new vscode.EventEmitter<void>();
  const command = (name: string, run: () => unknown) => vscode.commands.registerCommand(`dougu.${name}`, run);
  context.subscriptions.push(
    output,
    item,
    changes,
    track(tracker),
    watch(disk),
    watchUnsaved(() => on.windowChanged(windowState(), false)),
    command("start", () => on.start(true)),
    command("stop", () => on.stop()),
    command("restart", () => on.restart(true)),
    command("showLog", () => output.show()),
    vscode.window.onDidChangeWindowState(() => on.windowChanged(windowState(), false)),
    vscode.workspace.onDidChangeWorkspaceFolders(() => on.windowChanged(windowState(), true)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => changes.fire()),
    vscode.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("dougu")) changes.fire();
      if (e.affectsConfiguration("dougu.enabled")) void (settings.isEnabled() ? on.start(settings.startsAutomatically()) : on.stop());
    }),
    offer(tools, manifest.version, changes.event) ?? { dispose: () => undefined },
  );
  if (settings.isEnabled()) await on.start(settings.startsAutomatically());
  else show(on.state());
}

export async function deactivate(): Promise<void> {
  await session?.stop();
}
