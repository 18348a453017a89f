// The methods that clients can call.
import * as vscode from "vscode";
import type { Method, Service } from "./bridge";
import { edits, flag, list, object, optionalText, position, range, text, whole, type Params } from "./check";
import { type Answer, diagnose, diagnoseAll } from "./diagnostics";
import type { Disk } from "./disk";
import { document, edit, unsaved } from "./documents";
import { fixes } from "./fixes";
import { format } from "./format";
import type { Log } from "./log";
import { definition, references, rename, symbols, workspaceSymbols } from "./navigate";
import { folders } from "./places";
import { refactorings } from "./refactorings";
import type { Tracker } from "./tracker";
import { active, open } from "./view";
import { Diagnostic, Known, protocol } from "./wire";

/** known returns the document that a request names. */
export function known(params: Params): Known {
  return {
    path: text(params, "path"),
    version: params.version === undefined ? undefined : whole(params.version, "version"),
    sha256: optionalText(params, "sha256"),
  };
}

/** maxPaths is the limit of files in a request. */
const maxPaths = 1000;
/** maxKinds is the limit of kinds in a request for refactorings. */
const maxKinds = 20;
/** maxWait is the upper limit of the time to wait for diagnostics, in milliseconds. */
const maxWait = 60_000;

const at = (params: Params) => position(params.at, "at");
const severities = ["error", "warning", "info", "hint"] as const;

function diagnostic(params: Params): Diagnostic {
  const of = object(params.diagnostic, "diagnostic");
  return {
    path: text(params, "path"),
    range: range(of.range, "diagnostic.range"),
    severity: severities.find((s) => s === of.severity) ?? "error",
    message: text(of, "message"),
    code: optionalText(of, "code"),
    source: optionalText(of, "source"),
  };
}

async function diagnostics(params: Params, tracker: Tracker, disk: Disk, signal: AbortSignal): Promise<Answer> {
  const end = Date.now() + Math.min(whole(params.wait, "wait"), maxWait);
  const written = params.written === undefined ? [] : list(params, "written", maxPaths).map((value, i) => {
    const one = object(value, `written[${i}]`);
    return { path: text(one, "path"), ago: whole(one.ago, "ago") };
  });
  const paths = params.paths === undefined ? undefined : list(params, "paths", maxPaths).map((_, i) => text(params.paths as Params, String(i)));
  const others = written.filter(({ path }) => !paths?.includes(path)); // the requested files are compared with the disk
  const known = await disk.caughtUp(others, end, signal);
  const answer = await (paths ? diagnose(paths, end, tracker, signal) : diagnoseAll(end, tracker, signal));
  if (!known) answer.notes.push("VS Code has not yet read all changed files");
  return { ...answer, fresh: answer.fresh && known };
}

export function methods(tracker: Tracker, disk: Disk): Record<string, Method> {
  const formatters = new Set<string>();
  return {
    document: async (p) => document(text(p, "path")),
    unsaved: async () => unsaved(),
    edit: async (p) => edit(text(p, "path"), whole(p.version, "version"), edits(p), flag(p, "save")),
    open: async (p) => open(text(p, "path"), p.at === undefined ? undefined : position(p.at, "at"), flag(p, "preview")),
    active: async () => active(),
    diagnostics: async (p, signal) => diagnostics(p, tracker, disk, signal),
    fixes: async (p, signal) => fixes(known(p), diagnostic(p), signal),
    refactorings: async (p, signal) =>
      refactorings(known(p), range(p.range, "range"), list(p, "kinds", maxKinds).map((_, i) => text(p.kinds as Params, String(i))), signal),
    format: async (p) => format(known(p), formatters, p.range === undefined ? undefined : range(p.range, "range")),
    definition: async (p) => definition(known(p), at(p)),
    references: async (p) => references(known(p), at(p)),
    rename: async (p) => rename(known(p), at(p), text(p, "name")),
    symbols: async (p) => symbols(known(p)),
    workspaceSymbols: async (p) => workspaceSymbols(text(p, "query")),
  };
}

/** windowState returns the state of the window, which clients receive at the start and after each change. */
export const windowState = () => ({ folders: folders().map((f) => f.path), focused: vscode.window.state.focused, unsaved: unsaved().paths });

export function service(all: Record<string, Method>, log: Log, version: string, changed: () => void): Service {
  return {
    methods: all,
    notifications: { log: (params, client) => log.record(params, client) },
    welcome: () => ({ protocol, app: vscode.env.appName, appVersion: vscode.version, version, pid: process.pid, ...windowState() }),
    changed,
  };
}
