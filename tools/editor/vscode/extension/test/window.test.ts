import assert from "node:assert/strict";
import * as fs from "node:fs";
import { test } from "node:test";
import { offer } from "../src/agents";
import { Log } from "../src/log";
import { Process } from "../src/process";
import * as settings from "../src/settings";
import { Session } from "../src/session";
import { describe } from "../src/status";
import { project } from "./project";
import * as vscode from "./vscode";

const manifest = JSON.parse(fs.readFileSync("package.json", "utf8")) as Parameters<typeof settings.tools>[0] & {
  contributes: { commands: { command: string }[] };
};
const tools = settings.tools(manifest);

test("settings.tools: every tool of the editor is listed", () => {
  assert.equal(tools.length, 20);
  assert.ok(tools.includes("insert_code") && tools.includes("rename_symbol"));
});

test("settings.denied: the user and the project can turn off tools", (t) => {
  project(t, {});
  const set = (name: string, globalValue?: boolean, workspaceValue?: boolean) => vscode.set.set(`dougu.tools.${name}`, { globalValue, workspaceValue });
  set("insert_code", true, false);
  set("delete_code", false, true);
  set("replace_code", true, true);
  set("execute_command", false);
  assert.deepEqual(settings.denied(tools), ["insert_code", "delete_code", "execute_command"]);
});

test("settings.server: set by the user, in a trusted folder", (t) => {
  const file = project(t, {});
  const folder = file(".");
  const command = (value: string) => vscode.set.set("dougu.server.command", { globalValue: value });
  vscode.set.set("dougu.server.args", { globalValue: ["serve", "-root", "${workspaceFolder}"] });
  vscode.set.set("dougu.server.env", { globalValue: { CACHE: "${workspaceFolder}/x" } });
  vscode.set.set("dougu.tools.execute_command", { workspaceValue: false });
  assert.equal(settings.server(tools), undefined);
  for (const bad of ["./evil", "bin/evil", "..\\evil"]) {
    command(bad);
    assert.equal(settings.server(tools), undefined, bad);
  }
  command("dougu-editor");
  const dir = folder.replace(/\/\.?$/, "");
  const found = settings.server(tools);
  assert.deepEqual(found?.args, ["serve", "-root", dir]);
  assert.deepEqual(found?.env, { CACHE: `${dir}/x`, DOUGU_TOOLS_DENIED: "execute_command" });
  assert.notEqual(found?.cwd, dir);
  vscode.workspace.isTrusted = false;
  assert.equal(settings.server(tools), undefined);
});

test("offer: with and without the API of VS Code", (t) => {
  project(t, {});
  const event = () => ({ dispose: () => undefined });
  assert.equal(offer(tools, "1", event as never), undefined, "VS Code before 1.101");
  interface Given {
    provideMcpServerDefinitions(): { args: unknown[] }[];
  }
  let given: Given | undefined;
  const later = vscode as unknown as Record<string, unknown>;
  later.McpStdioServerDefinition = class {
    args: unknown[];
    constructor(...args: unknown[]) {
      this.args = args;
    }
  };
  later.lm = {
    registerMcpServerDefinitionProvider: (id: string, provider: Given) => {
      assert.equal(id, "dougu");
      given = provider;
      return { dispose: () => undefined };
    },
  };
  t.after(() => {
    delete later.lm;
    delete later.McpStdioServerDefinition;
  });
  assert.ok(offer(tools, "1", event as never));
  const lm = later.lm;
  later.lm = {
    registerMcpServerDefinitionProvider: () => {
      throw new Error("not in the manifest");
    },
  };
  assert.equal(offer(tools, "1", event as never), undefined, "VS Code 1.100");
  later.lm = lm;
  assert.deepEqual(given?.provideMcpServerDefinitions(), []);
  vscode.set.set("dougu.server.command", { globalValue: "/usr/bin/dougu" });
  assert.deepEqual(given?.provideMcpServerDefinitions()[0]?.args.slice(0, 2), ["Dougu", "/usr/bin/dougu"]);
});

test("Log: levels and the limit per second", () => {
  const lines: string[] = [];
  const write = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
  let now = 0;
  const log = new Log({ debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") }, () => now);
  const from = { name: "dougu", version: "1", pid: 7 };
  log.record({ level: "error", message: "bad\n[forged 8] line" }, from);
  log.record({ level: "constructor", message: "x".repeat(9000) }, from);
  assert.equal(lines[0], "error [dougu 7] bad\n    [forged 8] line");
  assert.equal(lines[1]?.length, "info [dougu 7] ".length + 8000);
  assert.throws(() => log.record({ message: 5 }, from));
  for (let i = 0; i < 500; i++) log.record({ message: String(i) }, from);
  assert.equal(lines.length, 200);
  now = 1000;
  log.record({ message: "later" }, from);
  assert.deepEqual(lines.slice(200), ["warn [dougu 7] 302 messages were omitted", "info [dougu 7] later"]);
});

test("describe: states of the status bar", () => {
  assert.deepEqual(describe({ listening: true, clients: [] }), { text: "$(plug) Dougu", tooltip: "Servers can connect to this window.", bad: false });
  const busy = describe({ listening: true, clients: [{ name: "dougu-editor", version: "1", pid: 7 }], server: "http://127.0.0.1:1/mcp" });
  assert.equal(busy.text, "$(plug) Dougu 1");
  assert.match(busy.tooltip, /dougu-editor 1 \(process 7\)\nServes MCP at http:\/\/127.0.0.1:1\/mcp/);
  const failed = describe({ listening: false, clients: [], fault: "no place" });
  assert.deepEqual([failed.text, failed.bad], ["$(error) Dougu", true]);
});

test("Process.stop: ends the child processes", async () => {
  const lines: string[] = [];
  let seen = () => undefined as void;
  const first = new Promise<void>((resolve) => (seen = resolve));
  const server = new Process({ command: "sh", args: ["-c", 'sleep 1000 & echo "$! $1"; wait', "sh"], env: {}, cwd: "/" }, ["extra"], (line) => {
    lines.push(line);
    seen();
  });
  await first;
  const [pid, extra] = (lines[0] ?? "").split(" ");
  assert.equal(extra, "extra");
  await server.stop();
  assert.equal(await server.ended, undefined);
  for (const end = Date.now() + 10_000; isAlive(Number(pid)); await new Promise((resolve) => setTimeout(resolve, 10))) assert.ok(Date.now() < end);
});

/** isAlive tells whether a process is there and no zombie that nobody waits for. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

test("Process.ended: reason of the end", async () => {
  const run = (command: string, ...args: string[]) => new Process({ command, args, env: {}, cwd: "/" }, [], () => undefined).ended;
  assert.match((await run("/no/such/program")) ?? "", /ENOENT/);
  assert.equal(await run("sh", "-c", "exit 3"), "it ended with code 3");
  assert.equal(await run("sh", "-c", "kill -9 $$"), "it was ended by SIGKILL");
});

test("Session: a window whose folder is on another machine announces that, and shows the reason", async (t) => {
  project(t, {});
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.other("vscode-remote", "/project", "ssh-remote+box") }];
  const errors: string[] = [];
  const output = { error: (line: string) => errors.push(line), info: () => undefined, warn: () => undefined };
  const session = new Session(() => ({}) as never, "1", tools, output as never, () => undefined);
  await session.start(true);
  const state = session.state();
  await session.stop();
  assert.match(state.fault ?? "", /ssh-remote\+box.* is not on this machine: install the extension where the folder is/);
  assert.deepEqual(errors, [state.fault]);
  assert.ok(describe(state).bad);
});
