"use strict";
var __create = Object.create;
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __getProtoOf = Object.getPrototypeOf;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toESM = (mod, isNodeMode, target) => (target = mod != null ? __create(__getProtoOf(mod)) : {}, __copyProps(
  // If the importer is in node compatibility mode or this is not an ESM
  // file that has been converted to a CommonJS file using a Babel-
  // compatible transform (i.e. "__esModule" has not been set), then set
  // "default" to the CommonJS "module.exports" for node compatibility.
  isNodeMode || !mod || !mod.__esModule ? __defProp(target, "default", { value: mod, enumerable: true }) : target,
  mod
));
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// src/extension.ts
var extension_exports = {};
__export(extension_exports, {
  activate: () => activate,
  deactivate: () => deactivate
});
module.exports = __toCommonJS(extension_exports);
var vscode17 = __toESM(require("vscode"));

// src/agents.ts
var vscode2 = __toESM(require("vscode"));

// src/settings.ts
var os = __toESM(require("node:os"));
var path = __toESM(require("node:path"));
var vscode = __toESM(require("vscode"));
function tools(manifest) {
  const names = manifest.contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
  return names.flatMap((name) => {
    var _a;
    return ((_a = /^dougu\.tools\.(\w+)$/.exec(name)) == null ? void 0 : _a[1]) ?? [];
  });
}
function denied(all) {
  const settings = vscode.workspace.getConfiguration("dougu.tools");
  return all.filter((name) => {
    const set = settings.inspect(name);
    return [set == null ? void 0 : set.globalValue, set == null ? void 0 : set.workspaceValue, set == null ? void 0 : set.workspaceFolderValue].includes(false);
  });
}
function server(all) {
  var _a;
  const settings = vscode.workspace.getConfiguration("dougu.server");
  const command = settings.get("command", "").trim();
  const folder = (_a = (vscode.workspace.workspaceFolders ?? []).find((f) => f.uri.scheme === "file")) == null ? void 0 : _a.uri.fsPath;
  if (command === "" || folder === void 0 || !vscode.workspace.isTrusted) return void 0;
  if (!path.isAbsolute(command) && /[\\/]/.test(command)) return void 0;
  const fill = (text2) => text2.split("${workspaceFolder}").join(folder);
  const env3 = Object.fromEntries(Object.entries(settings.get("env", {})).map(([k, v]) => [k, fill(String(v))]));
  const off = denied(all);
  if (off.length > 0) env3.DOUGU_TOOLS_DENIED = off.join(",");
  return { command, args: settings.get("args", []).map((arg) => fill(String(arg))), env: env3, cwd: os.homedir() };
}
var isEnabled = () => vscode.workspace.getConfiguration("dougu").get("enabled", true);
var startsAutomatically = () => vscode.workspace.getConfiguration("dougu.server").get("autoStart", false);
var address = () => vscode.workspace.getConfiguration("dougu.server").get("address", "127.0.0.1:3845");

// src/agents.ts
function offer(tools2, version3, changed) {
  const { lm, McpStdioServerDefinition: Stdio } = vscode2;
  if (!Stdio || !(lm == null ? void 0 : lm.registerMcpServerDefinitionProvider)) return void 0;
  const provider = {
    onDidChangeMcpServerDefinitions: changed,
    provideMcpServerDefinitions() {
      const server2 = server(tools2);
      if (!server2) return [];
      const definition2 = new Stdio("Dougu", server2.command, server2.args, server2.env, version3);
      definition2.cwd = vscode2.Uri.file(server2.cwd);
      return [definition2];
    }
  };
  try {
    return lm.registerMcpServerDefinitionProvider("dougu", provider);
  } catch {
    return void 0;
  }
}

// src/diagnostics.ts
var vscode7 = __toESM(require("vscode"));

// src/convert.ts
var vscode5 = __toESM(require("vscode"));

// src/documents.ts
var import_node_crypto = require("node:crypto");
var fs2 = __toESM(require("node:fs/promises"));
var vscode4 = __toESM(require("vscode"));

// src/places.ts
var fs = __toESM(require("node:fs"));
var path2 = __toESM(require("node:path"));
var vscode3 = __toESM(require("vscode"));

// src/wire.ts
var protocol = 1;
var Code = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  stale: -32801,
  unsupported: 1,
  busy: 2,
  tooLarge: 3
};
var Fault = class extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
};
var stale = (message) => new Fault(Code.stale, message);
var unsupported = (message) => new Fault(Code.unsupported, message);

// src/places.ts
function real(file) {
  const missing = [];
  for (let at2 = file; ; at2 = path2.dirname(at2)) {
    try {
      return path2.join(fs.realpathSync.native(at2), ...missing);
    } catch {
      if (path2.dirname(at2) === at2) return file;
      missing.unshift(path2.basename(at2));
    }
  }
}
function within(dir, file) {
  const relative2 = path2.relative(dir, file);
  return relative2 === ".." || relative2.startsWith(".." + path2.sep) || path2.isAbsolute(relative2) ? void 0 : relative2;
}
function folders() {
  return (vscode3.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme === "file").map((f) => ({ uri: f.uri, path: real(f.uri.fsPath) }));
}
function foreign() {
  return (vscode3.workspace.workspaceFolders ?? []).filter((f) => f.uri.scheme !== "file").map((f) => f.uri.toString(true).slice(0, 500));
}
function pathOf(uri) {
  return uri.scheme === "file" ? real(uri.fsPath) : void 0;
}
function uriOf(file) {
  var _a;
  if (!path2.isAbsolute(file) || file.includes("\0")) throw new Fault(Code.invalidParams, "a path must be absolute");
  for (const folder of folders()) {
    const relative2 = within(folder.path, file);
    if (relative2 === void 0) continue;
    const uri = vscode3.Uri.joinPath(folder.uri, ...relative2.split(path2.sep));
    return ((_a = vscode3.workspace.textDocuments.find((d) => d.uri.scheme === "file" && d.uri.fsPath !== uri.fsPath && sameFile(d.uri, file))) == null ? void 0 : _a.uri) ?? uri;
  }
  throw new Fault(Code.unsupported, `${file} is not in the folders of this window`);
}
function uriOfOpen(file) {
  try {
    return uriOf(file);
  } catch (err) {
    const doc = vscode3.workspace.textDocuments.find((d) => d.isDirty && d.uri.scheme === "file" && sameFile(d.uri, file));
    if (doc) return doc.uri;
    throw err;
  }
}
function sameFile(uri, file) {
  return path2.basename(uri.fsPath).toLowerCase() === path2.basename(file).toLowerCase() && real(uri.fsPath) === file;
}

// src/documents.ts
var saving = 2e4;
var rereading = 3e3;
var sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
async function atMost(ms, promise) {
  let timer;
  const late = new Promise((resolve) => timer = setTimeout(() => resolve(void 0), ms));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
function held(uri) {
  const wanted = uri.toString();
  return vscode4.workspace.textDocuments.find((d) => !d.isClosed && d.uri.toString() === wanted);
}
function isShown(uri) {
  const wanted = uri.toString();
  return vscode4.window.tabGroups.all.some(
    (group) => group.tabs.some(({ input }) => {
      if (input instanceof vscode4.TabInputText) return input.uri.toString() === wanted;
      if (input instanceof vscode4.TabInputTextDiff) return input.modified.toString() === wanted || input.original.toString() === wanted;
      return false;
    })
  );
}
function isOpen(doc) {
  return !doc.isClosed && (doc.isDirty || isShown(doc.uri));
}
async function opened(uri) {
  try {
    return held(uri) ?? await vscode4.workspace.openTextDocument(uri);
  } catch (err) {
    throw unsupported(`VS Code cannot open ${uri.fsPath} as text: ${err instanceof Error ? err.message : String(err)}`);
  }
}
function digest(text2) {
  return (0, import_node_crypto.createHash)("sha256").update(text2.replace(/\r\n?/g, "\n")).digest("hex");
}
async function expected(known2) {
  const uri = uriOf(known2.path);
  const doc = await opened(uri);
  if (known2.version !== void 0) {
    if (doc.version !== known2.version) throw stale(`${known2.path} is at version ${doc.version}, not ${known2.version}`);
    return doc;
  }
  for (const end = Date.now() + rereading; known2.sha256 !== void 0 && digest(doc.getText()) !== known2.sha256; await sleep(50)) {
    if (doc.isDirty) throw stale(`${known2.path} has unsaved changes in VS Code`);
    if (doc.isClosed) return expected(known2);
    if (Date.now() > end) throw unsupported(`the text of ${known2.path} in VS Code differs from the given one: VS Code uses another encoding, or has not read a change`);
  }
  return doc;
}
async function asDisk(doc, end) {
  for (; ; ) {
    if (doc.isDirty || doc.isClosed) return !doc.isClosed;
    const bytes = await fs2.readFile(doc.uri.fsPath);
    let text2;
    try {
      text2 = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      return Date.now() - (await fs2.stat(doc.uri.fsPath)).mtimeMs > rereading;
    }
    if (digest(text2) === digest(doc.getText())) return true;
    if (Date.now() + 50 > end) return false;
    await sleep(50);
  }
}
function toDocument(doc, path4 = pathOf(doc.uri) ?? "") {
  return { path: path4, text: doc.getText(), version: doc.version, dirty: doc.isDirty, language: doc.languageId };
}
function document(path4) {
  const doc = held(uriOfOpen(path4));
  return doc && isOpen(doc) ? { document: toDocument(doc, path4) } : {};
}
function unsaved() {
  const paths = [];
  for (const doc of vscode4.workspace.textDocuments) {
    const path4 = doc.isDirty && !doc.isClosed ? pathOf(doc.uri) : void 0;
    if (path4 !== void 0) paths.push(path4);
  }
  return { paths: paths.slice(0, 1e3) };
}
function watchUnsaved(changed) {
  let last = "";
  const compare = () => {
    const now = unsaved().paths.join("\n");
    if (now === last) return;
    last = now;
    changed();
  };
  return vscode4.Disposable.from(
    vscode4.workspace.onDidChangeTextDocument(compare),
    vscode4.workspace.onDidSaveTextDocument(compare),
    vscode4.workspace.onDidCloseTextDocument(compare)
  );
}
async function edit(path4, version3, edits2, save) {
  const uri = uriOfOpen(path4);
  const doc = held(uri);
  if (!doc || !isOpen(doc)) throw stale(`${path4} is no longer open`);
  if (doc.version !== version3) throw stale(`${path4} is at version ${doc.version}, not ${version3}`);
  requireDisjoint(doc, edits2);
  if (edits2.length > 0) {
    const change = new vscode4.WorkspaceEdit();
    change.set(uri, edits2.map(toEdit));
    if (!await vscode4.workspace.applyEdit(change)) {
      throw doc.version !== version3 ? stale(`${path4} changed meanwhile`) : new Fault(Code.internal, `VS Code refused the edit of ${path4}`);
    }
  }
  if (save && doc.isDirty) await atMost(saving, Promise.resolve(doc.save()).catch(() => false));
  return { document: toDocument(doc, path4), saved: !doc.isDirty };
}
function requireDisjoint(doc, edits2) {
  var _a, _b;
  const spans = edits2.map(({ range: range2 }) => {
    const inside = doc.validateRange(toRange(range2));
    return [doc.offsetAt(inside.start), doc.offsetAt(inside.end)];
  });
  spans.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (let i = 1; i < spans.length; i++) {
    if ((((_a = spans[i]) == null ? void 0 : _a[0]) ?? 0) < (((_b = spans[i - 1]) == null ? void 0 : _b[1]) ?? 0)) throw new Fault(Code.invalidParams, "two edits overlap");
  }
}

// src/convert.ts
var maxMessage = 4e3;
var toPosition = (p) => new vscode5.Position(p.line, p.character);
var toRange = (r) => new vscode5.Range(toPosition(r.start), toPosition(r.end));
var toEdit = (e) => new vscode5.TextEdit(toRange(e.range), e.newText);
var fromPosition = (p) => ({ line: p.line, character: p.character });
var fromRange = (r) => ({ start: fromPosition(r.start), end: fromPosition(r.end) });
var fromEdit = (e) => ({ range: fromRange(e.range), newText: e.newText });
var severities = ["error", "warning", "info", "hint"];
function codeOf(d) {
  const code = typeof d.code === "object" && d.code !== null ? d.code.value : d.code;
  return code === void 0 || code === null ? void 0 : String(code).slice(0, 200);
}
function fromDiagnostic(path4, d) {
  var _a;
  return {
    path: path4,
    range: fromRange(d.range),
    severity: severities[d.severity] ?? "error",
    message: d.message.slice(0, maxMessage),
    code: codeOf(d),
    source: (_a = d.source) == null ? void 0 : _a.slice(0, 200)
  };
}
function fromLocation(found) {
  const [uri, range2] = "targetUri" in found ? [found.targetUri, found.targetSelectionRange ?? found.targetRange] : [found.uri, found.range];
  const path4 = pathOf(uri);
  return path4 === void 0 ? void 0 : { path: path4, range: fromRange(range2) };
}
var fileOperation = 1;
var textEdit = 2;
function fromWorkspaceEdit(edit2) {
  const inner = edit2._allEntries;
  if (typeof inner === "function") return inEntries(inner.call(edit2));
  const entries = edit2.entries();
  if (edit2.size > entries.length) throw unsupported("the change creates, moves or deletes files, and this version of VS Code does not report them");
  return entries.flatMap(([uri, edits2]) => changeOf(uri, edits2));
}
function inEntries(entries) {
  const all = [];
  const changes = /* @__PURE__ */ new Map();
  for (const entry of entries) {
    if (entry._type === textEdit && entry.uri && entry.edit instanceof vscode5.TextEdit) {
      const key = entry.uri.toString();
      const known2 = changes.get(key) ?? { uri: entry.uri, edits: [] };
      changes.set(key, known2);
      known2.edits.push(entry.edit);
    } else if (entry._type === fileOperation) {
      all.push(operationOf(entry));
    } else {
      throw unsupported("the change contains an edit that only VS Code can apply, such as a snippet or a notebook edit");
    }
  }
  return [...all, ...[...changes.values()].flatMap(({ uri, edits: edits2 }) => changeOf(uri, edits2))];
}
function operationOf({ from, to }) {
  const path4 = (uri) => {
    const file = pathOf(uri);
    if (file === void 0) throw unsupported("the change affects a document that is not a file");
    return file;
  };
  if (from && to) return { op: "rename", path: path4(from), newPath: path4(to) };
  if (to) return { op: "create", path: path4(to) };
  if (from) return { op: "delete", path: path4(from) };
  throw unsupported("the change contains an unknown operation");
}
function changeOf(uri, edits2) {
  const path4 = pathOf(uri);
  if (path4 === void 0) throw unsupported("the change affects a document that is not a file");
  if (edits2.length === 0) return [];
  if (!edits2.every((e) => e instanceof vscode5.TextEdit)) throw unsupported("the change contains snippets");
  const doc = held(uri);
  return [{ op: "change", path: path4, edits: edits2.map(fromEdit), version: doc && isOpen(doc) ? doc.version : void 0 }];
}

// src/typescript.ts
var vscode6 = __toESM(require("vscode"));
var request = "typescript.tsserverRequest";
var languages = { typescript: "ts", typescriptreact: "ts", javascript: "js", javascriptreact: "js" };
function isScript(doc) {
  if (!Object.keys(languages).includes(doc.languageId)) return false;
  const section = doc.languageId.startsWith("typescript") ? "typescript" : "javascript";
  return vscode6.workspace.getConfiguration(section, doc.uri).get("validate.enable", true);
}
var sourceOf = (doc) => languages[doc.languageId] ?? "";
var requests = ["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"];
async function validate(doc) {
  const answers = await Promise.all(
    requests.map((command) => Promise.resolve(vscode6.commands.executeCommand(request, command, { file: doc.uri })))
  );
  return answers.flatMap((answer) => {
    if (!Array.isArray(answer == null ? void 0 : answer.body)) throw new Error("the TypeScript server has not responded");
    return answer.body.map((d) => toDiagnostic(doc, d));
  });
}
var { Error: error, Warning: warning, Hint: hint } = vscode6.DiagnosticSeverity;
function toDiagnostic(doc, reported) {
  const at2 = (p) => new vscode6.Position(Math.max(p.line - 1, 0), Math.max(p.offset - 1, 0));
  const severity = reported.category === "suggestion" ? hint : reported.category === "warning" ? warning : error;
  const d = new vscode6.Diagnostic(new vscode6.Range(at2(reported.start), at2(reported.end)), reported.text, severity);
  d.source = reported.source ?? sourceOf(doc);
  d.code = reported.code;
  return d;
}

// src/diagnostics.ts
var maxItems = 5e3;
function hasExtension(language) {
  return vscode7.extensions.all.some(({ packageJSON }) => {
    const about2 = packageJSON;
    return Boolean((about2 == null ? void 0 : about2.main) ?? (about2 == null ? void 0 : about2.browser)) && ((about2 == null ? void 0 : about2.activationEvents) ?? []).includes(`onLanguage:${language}`);
  });
}
var hiddenTimeout = 1500;
async function diagnose(paths, end, tracker, signal) {
  const answer = { items: [], fresh: true, covered: [], notes: [] };
  const findings = await Promise.all(
    paths.map(
      (path4) => examine(path4, end, tracker, signal).catch((err) => {
        if (!(err instanceof Fault)) throw err;
        return { fresh: true, note: err.message };
      })
    )
  );
  findings.forEach(({ items, fresh, note }, i) => {
    if (note && answer.notes.length < 20) answer.notes.push(note);
    if (!items) return;
    answer.covered.push(paths[i]);
    answer.items.push(...items);
    answer.fresh &&= fresh;
  });
  return bounded(answer);
}
async function examine(path4, end, tracker, signal) {
  const uri = uriOf(path4);
  const doc = await opened(uri);
  if (!hasExtension(doc.languageId)) return { fresh: true, note: `VS Code has no extension for ${doc.languageId}` };
  const known2 = await asDisk(doc, end);
  const note = known2 ? void 0 : `VS Code has not yet read the change of ${path4} on the disk`;
  const asks = isScript(doc);
  if (!asks && !tracker.spoke(doc) && !isShown(uri)) end = Math.min(end, Date.now() + hiddenTimeout);
  while (!tracker.isFresh(doc) || asks) {
    const found = asks ? await script(doc, path4, end).catch(() => void 0) : void 0;
    if (found) return { items: found, fresh: known2, note };
    if (tracker.isFresh(doc) || Date.now() >= end || signal.aborted) break;
    await sleep(asks ? 200 : 25);
  }
  if (!tracker.spoke(doc)) return { fresh: true, note: `no extension of VS Code has reported on ${path4} yet` };
  const items = vscode7.languages.getDiagnostics(uri).map((d) => fromDiagnostic(path4, d));
  return { items, fresh: known2 && tracker.isFresh(doc), note };
}
async function script(doc, path4, end) {
  const own2 = await atMost(Math.max(end - Date.now(), 0), validate(doc));
  if (!own2) return void 0;
  const others = vscode7.languages.getDiagnostics(doc.uri).filter((d) => d.source !== sourceOf(doc));
  return [...own2, ...others].map((d) => fromDiagnostic(path4, d));
}
async function diagnoseAll(end, tracker, signal) {
  while (!tracker.isQuiet() && Date.now() < end && !signal.aborted) await sleep(25);
  const items = vscode7.languages.getDiagnostics().flatMap(([uri, found]) => {
    const path4 = found.length > 0 && isInWorkspace(uri) ? pathOf(uri) : void 0;
    return path4 === void 0 ? [] : found.map((d) => fromDiagnostic(path4, d));
  });
  const notes = ["these are the diagnostics that the extensions of VS Code have reported so far; most extensions check only open files"];
  return bounded({ items, fresh: false, covered: [], notes });
}
var isInWorkspace = (uri) => vscode7.workspace.getWorkspaceFolder(uri) !== void 0;
function bounded(answer) {
  if (answer.items.length > maxItems) {
    answer.notes.push(`${answer.items.length - maxItems} diagnostics were omitted`);
    answer.items.length = maxItems;
  }
  return answer;
}
function track(tracker) {
  for (const doc of vscode7.workspace.textDocuments) tracker.changed(doc);
  return vscode7.Disposable.from(
    vscode7.workspace.onDidOpenTextDocument((doc) => tracker.changed(doc)),
    vscode7.workspace.onDidCloseTextDocument((doc) => tracker.closed(doc)),
    vscode7.workspace.onDidChangeTextDocument(({ document: document2, contentChanges }) => {
      if (contentChanges.length > 0) tracker.changed(document2);
    }),
    vscode7.languages.onDidChangeDiagnostics(({ uris }) => {
      for (const uri of uris) {
        const doc = held(uri);
        if (doc) tracker.reported(doc);
      }
    })
  );
}

// src/disk.ts
var fs3 = __toESM(require("node:fs/promises"));
var vscode8 = __toESM(require("vscode"));
var noticeTimeout = 2e3;
var deletionLead = 1e3;
var settling = 300;
var maxSeen = 1e4;
var Disk = class {
  constructor(now = Date.now) {
    this.now = now;
    /** seen has the time of the last seen change, in milliseconds since the epoch, by path. */
    this.seen = /* @__PURE__ */ new Map();
  }
  changed(path4) {
    if (this.seen.size >= maxSeen) this.seen.clear();
    this.seen.set(path4, this.now());
  }
  /** isSeen reports whether VS Code and its extensions have seen the change of a file at a time, or are not expected to see it any more. */
  isSeen(path4, at2) {
    const seen = this.seen.get(path4) ?? 0;
    return seen >= at2 && this.now() - seen >= settling || this.now() - at2 > noticeTimeout;
  }
  /** caughtUp waits until VS Code has seen the changes, or until end. It returns false at end or after an abort. */
  async caughtUp(written, end, signal) {
    const all = await Promise.all(
      written.map(async ({ path: path4, ago }) => {
        const info = await fs3.stat(path4).catch(() => void 0);
        return { path: path4, at: info ? Math.floor(info.mtimeMs) : this.now() - ago - deletionLead };
      })
    );
    const done = () => all.every(({ path: path4, at: at2 }) => this.isSeen(path4, at2));
    while (!done()) {
      if (this.now() >= end || signal.aborted) return false;
      await sleep(20);
    }
    return true;
  }
};
function watch(disk) {
  const watcher = vscode8.workspace.createFileSystemWatcher("**/*");
  const tell = (uri) => {
    const path4 = pathOf(uri);
    if (path4 !== void 0) disk.changed(path4);
  };
  return vscode8.Disposable.from(watcher, watcher.onDidChange(tell), watcher.onDidCreate(tell), watcher.onDidDelete(tell));
}

// src/check.ts
var invalid = (message) => new Fault(Code.invalidParams, message);
var maxInteger = 2 ** 31 - 1;
function object(value, name) {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(`${name} must be an object`);
  return value;
}
function text(params, name) {
  const value = params[name];
  if (typeof value !== "string") throw invalid(`${name} must be a string`);
  return value;
}
function optionalText(params, name) {
  return params[name] === void 0 ? void 0 : text(params, name);
}
function flag(params, name) {
  const value = params[name];
  if (value !== void 0 && typeof value !== "boolean") throw invalid(`${name} must be true or false`);
  return value === true;
}
function whole(value, name) {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > maxInteger) throw invalid(`${name} must be a whole number`);
  return value;
}
function list(params, name, limit) {
  const value = params[name];
  if (!Array.isArray(value)) throw invalid(`${name} must be a list`);
  if (value.length > limit) throw invalid(`${name} has more than ${limit} elements`);
  return value;
}
function position(value, name) {
  const p = object(value, name);
  return { line: whole(p.line, `${name}.line`), character: whole(p.character, `${name}.character`) };
}
function range(value, name) {
  const r = object(value, name);
  const start = position(r.start, `${name}.start`);
  const end = position(r.end, `${name}.end`);
  if (end.line < start.line || end.line === start.line && end.character < start.character) {
    throw invalid(`${name} ends before it begins`);
  }
  return { start, end };
}
function edits(params) {
  return list(params, "edits", 1e5).map((value, i) => {
    const edit2 = object(value, `edits[${i}]`);
    return { range: range(edit2.range, `edits[${i}].range`), newText: text(edit2, "newText") };
  });
}

// src/log.ts
var maxLine = 8e3;
var perSecond = 200;
var Log = class {
  constructor(output, now = Date.now) {
    this.output = output;
    this.now = now;
    this.budgets = /* @__PURE__ */ new Map();
  }
  record(params, { name, pid }) {
    const level = optionalText(params, "level") ?? "info";
    const from = `${name} ${pid}`;
    const line = text(params, "message").slice(0, maxLine).replace(/\r\n?|\n/g, "\n    ");
    const dropped = this.spend(from);
    if (dropped === void 0) return;
    if (dropped > 0) this.output.warn(`[${from}] ${dropped} messages were omitted`);
    const write = level === "debug" || level === "warn" || level === "error" ? level : "info";
    this.output[write](`[${from}] ${line}`);
  }
  /** spend takes one message from the budget of a server. It returns the number of messages omitted before it, or undefined if this one must be omitted. */
  spend(from) {
    const second = Math.floor(this.now() / 1e3);
    let budget = this.budgets.get(from);
    if (!budget || budget.second !== second) {
      if (this.budgets.size > 100) this.budgets.clear();
      budget = { second, left: perSecond, dropped: (budget == null ? void 0 : budget.dropped) ?? 0 };
      this.budgets.set(from, budget);
    }
    if (budget.left === 0) {
      budget.dropped++;
      return void 0;
    }
    budget.left--;
    const dropped = budget.dropped;
    budget.dropped = 0;
    return dropped;
  }
};

// src/methods.ts
var vscode14 = __toESM(require("vscode"));

// src/fixes.ts
var vscode10 = __toESM(require("vscode"));

// src/view.ts
var vscode9 = __toESM(require("vscode"));
async function open(path4, at2, preview) {
  const uri = uriOf(path4);
  let doc;
  try {
    doc = held(uri) ?? await vscode9.workspace.openTextDocument(uri);
  } catch {
    await vscode9.commands.executeCommand("vscode.open", uri, { preview });
    return;
  }
  const place = at2 && doc.validatePosition(toPosition(at2));
  await vscode9.window.showTextDocument(doc, { preview, selection: place && new vscode9.Range(place, place) });
}
function active() {
  const editor = textEditor();
  if (!editor) return {};
  const { document: doc, selection } = editor;
  return {
    active: {
      path: pathOf(doc.uri) ?? "",
      version: doc.version,
      cursor: fromPosition(selection.active),
      selection: selection.isEmpty ? void 0 : fromRange(selection),
      dirty: doc.isDirty
    }
  };
}
var documents = ["file", "untitled"];
function textEditor() {
  var _a, _b;
  const editor = vscode9.window.activeTextEditor;
  if (editor && documents.includes(editor.document.uri.scheme)) return editor;
  const input = (_b = (_a = vscode9.window.tabGroups.activeTabGroup) == null ? void 0 : _a.activeTab) == null ? void 0 : _b.input;
  if (!(input instanceof vscode9.TabInputText)) return void 0;
  return vscode9.window.visibleTextEditors.find(({ document: { uri } }) => documents.includes(uri.scheme) && uri.toString() === input.uri.toString());
}
async function withTab(doc, work) {
  if (isShown(doc.uri)) return work();
  const isTyping = vscode9.window.state.focused && vscode9.window.activeTextEditor !== void 0;
  const viewColumn = isTyping ? vscode9.ViewColumn.Beside : vscode9.ViewColumn.Active;
  await vscode9.window.showTextDocument(doc, { preview: false, preserveFocus: true, viewColumn });
  try {
    return await work();
  } finally {
    const mine = vscode9.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ input, isDirty, isPinned }) => input instanceof vscode9.TabInputText && input.uri.toString() === doc.uri.toString() && !isDirty && !isPinned);
    await vscode9.window.tabGroups.close(mine, true);
  }
}

// src/fixes.ts
var maxFixes = 20;
var appearing = 5e3;
async function fixes(known2, of, signal) {
  var _a;
  const doc = await expected(known2);
  if (!hasExtension(doc.languageId)) throw unsupported(`VS Code has no extension for ${doc.languageId}`);
  const version3 = doc.version;
  const actions = isThere(doc, of) ? await ask(doc, of) : await withTab(doc, async () => {
    for (const end = Date.now() + appearing; !isThere(doc, of) && Date.now() < end && !signal.aborted; ) await sleep(25);
    return ask(doc, of);
  });
  if (doc.version !== version3) throw stale(`${known2.path} changed meanwhile`);
  const found = [];
  const left = [];
  for (const action of actions) {
    const title = action.title.slice(0, 200);
    if (!isAction(action) || !action.edit && action.command) {
      if (left.length < maxFixes) left.push(title);
    } else if (concerns(action, of) && !action.disabled && found.length < maxFixes) {
      const edits2 = editsOf(action);
      if (edits2) found.push({ title, kind: ((_a = action.kind) == null ? void 0 : _a.value) ?? "quickfix", preferred: action.isPreferred, edits: edits2 });
    }
  }
  return { fixes: found, left };
}
function isThere(doc, of) {
  const { line, character } = of.range.start;
  return vscode10.languages.getDiagnostics(doc.uri).some(({ range: { start }, message }) => start.line === line && start.character === character && isMessage(message, of));
}
var isMessage = (message, of) => message.startsWith(of.message.slice(0, 1e3));
async function ask(doc, of) {
  const found = await vscode10.commands.executeCommand(
    "vscode.executeCodeActionProvider",
    doc.uri,
    doc.validateRange(toRange(of.range)),
    vscode10.CodeActionKind.QuickFix.value,
    maxFixes
    // the number of actions to resolve
  );
  return found ?? [];
}
function isAction(action) {
  return typeof action.command !== "string";
}
function concerns(action, of) {
  const named = action.diagnostics ?? [];
  if (named.length === 0) return true;
  return named.some((d) => isMessage(d.message, of) || of.code !== void 0 && codeOf(d) === of.code);
}
function editsOf({ edit: edit2 }) {
  if (!edit2 || edit2.size === 0) return void 0;
  try {
    return fromWorkspaceEdit(edit2);
  } catch (err) {
    if (err instanceof Fault) return void 0;
    throw err;
  }
}

// src/format.ts
var vscode11 = __toESM(require("vscode"));
async function format(known2, formatters, part) {
  const doc = await expected(known2);
  const version3 = doc.version;
  const how = options(doc);
  const run = (command, ...args) => vscode11.commands.executeCommand(command, doc.uri, ...args);
  const edits2 = await (part ? run("vscode.executeFormatRangeProvider", doc.validateRange(toRange(part)), how) : run("vscode.executeFormatDocumentProvider", how));
  if (edits2 == null ? void 0 : edits2.length) {
    formatters.add(doc.languageId);
  } else if (!formatters.has(doc.languageId) && !await hasFormatter(doc, (other) => run("vscode.executeFormatDocumentProvider", other))) {
    throw unsupported(`VS Code has no formatter for ${doc.languageId}, or does not show one`);
  }
  if (doc.version !== version3) throw stale(`${known2.path} changed during formatting`);
  return { edits: (edits2 ?? []).map(fromEdit) };
}
async function hasFormatter(doc, run) {
  if (vscode11.workspace.getConfiguration("editor", doc).get("defaultFormatter", null)) return true;
  const { tabSize, insertSpaces } = options(doc);
  const edits2 = await run({ tabSize: tabSize === 3 ? 5 : 3, insertSpaces: !insertSpaces });
  return Boolean(edits2 == null ? void 0 : edits2.length);
}
function options(doc) {
  var _a;
  const shown = (_a = vscode11.window.visibleTextEditors.find((e) => e.document === doc)) == null ? void 0 : _a.options;
  if (typeof (shown == null ? void 0 : shown.tabSize) === "number" && typeof shown.insertSpaces === "boolean") {
    return { tabSize: shown.tabSize, insertSpaces: shown.insertSpaces };
  }
  const settings = vscode11.workspace.getConfiguration("editor", doc);
  const fixed = { tabSize: settings.get("tabSize", 4), insertSpaces: settings.get("insertSpaces", true) };
  return settings.get("detectIndentation", true) ? { ...fixed, ...indentation(doc.getText()) } : fixed;
}
function indentation(text2) {
  let tabs = 0;
  let spaces = 0;
  let before = 0;
  const steps = /* @__PURE__ */ new Map();
  for (const line of text2.split(/\r\n?|\n/, 5e3)) {
    const [lead = ""] = /^[ \t]*/.exec(line) ?? [];
    if (lead.length === line.length) continue;
    if (lead.startsWith("	")) tabs++;
    else {
      if (lead.length > 1) spaces++;
      const step = lead.length - before;
      if (step > 1 && step <= 8) steps.set(step, (steps.get(step) ?? 0) + 1);
      before = lead.length;
    }
  }
  if (tabs > spaces) return { insertSpaces: false };
  const [best] = [...steps].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return best ? { insertSpaces: true, tabSize: best[0] } : {};
}

// src/navigate.ts
var vscode12 = __toESM(require("vscode"));
var maxItems2 = 1e4;
var maxDepth = 50;
async function locations(command, known2, at2) {
  const doc = await expected(known2);
  const version3 = doc.version;
  const found = await vscode12.commands.executeCommand(command, doc.uri, toPosition(at2));
  if (doc.version !== version3) throw stale(`${known2.path} changed meanwhile`);
  if (!(found == null ? void 0 : found.length)) throw unsupported(`the extensions of VS Code found no result for that position in ${known2.path}`);
  return { locations: found.slice(0, maxItems2).flatMap((one) => fromLocation(one) ?? []) };
}
var definition = (known2, at2) => locations("vscode.executeDefinitionProvider", known2, at2);
var references = (known2, at2) => locations("vscode.executeReferenceProvider", known2, at2);
async function rename(known2, at2, name) {
  const doc = await expected(known2);
  const version3 = doc.version;
  const edit2 = await vscode12.commands.executeCommand("vscode.executeDocumentRenameProvider", doc.uri, toPosition(at2), name);
  if (doc.version !== version3) throw stale(`${known2.path} changed meanwhile`);
  if (!edit2 || edit2.size === 0) throw unsupported(`the extensions of VS Code cannot rename the symbol at that position in ${known2.path}`);
  return { edits: fromWorkspaceEdit(edit2) };
}
async function symbols(known2) {
  const doc = await expected(known2);
  const found = await vscode12.commands.executeCommand("vscode.executeDocumentSymbolProvider", doc.uri);
  if (!found) throw unsupported(`VS Code has no symbols for ${doc.languageId}`);
  const all = [];
  const add2 = (list2, container, depth) => {
    for (const symbol of list2) {
      if (all.length === maxItems2) return;
      if ("children" in symbol) {
        all.push({ ...about(symbol, container), path: known2.path, range: fromRange(symbol.range), selection: fromRange(symbol.selectionRange) });
        if (depth < maxDepth) add2(symbol.children, container === "" ? symbol.name : `${container}.${symbol.name}`, depth + 1);
      } else {
        all.push({ ...about(symbol, symbol.containerName), path: known2.path, range: fromRange(symbol.location.range), selection: fromRange(symbol.location.range) });
      }
    }
  };
  add2(found, "", 0);
  return { symbols: all };
}
async function workspaceSymbols(query) {
  const found = await vscode12.commands.executeCommand("vscode.executeWorkspaceSymbolProvider", query);
  return {
    symbols: (found ?? []).slice(0, maxItems2).flatMap((symbol) => {
      const path4 = pathOf(symbol.location.uri);
      if (path4 === void 0) return [];
      const range2 = fromRange(symbol.location.range);
      return [{ ...about({ ...symbol, name: symbol.name.replace(/\(\)$/, "") }, symbol.containerName), path: path4, range: range2, selection: range2 }];
    })
  };
}
var about = (symbol, container) => ({
  name: symbol.name.slice(0, 1e3),
  kind: (vscode12.SymbolKind[symbol.kind] ?? "variable").toLowerCase(),
  container: (container == null ? void 0 : container.slice(0, 1e3)) || void 0
});

// src/refactorings.ts
var vscode13 = __toESM(require("vscode"));
var maxRefactorings = 50;
async function refactorings(known2, range2, kinds, signal) {
  var _a, _b;
  const doc = await expected(known2);
  if (!hasExtension(doc.languageId)) throw unsupported(`VS Code has no extension for ${doc.languageId}`);
  const version3 = doc.version;
  const found = [];
  const left = [];
  for (const kind of kinds) {
    if (signal.aborted) break;
    for (const action of await ask2(doc, range2, kind)) {
      const title = action.title.slice(0, 200);
      if (isAction(action) && action.disabled) {
        add(found, { title, kind: ((_a = action.kind) == null ? void 0 : _a.value) ?? kind, disabled: action.disabled.reason.slice(0, 200) });
      } else if (!isAction(action) || action.command) {
        if (left.length < maxRefactorings) left.push(title);
      } else {
        const edits2 = editsOf(action);
        if (edits2) add(found, { title, kind: ((_b = action.kind) == null ? void 0 : _b.value) ?? kind, preferred: action.isPreferred, edits: edits2 });
      }
    }
  }
  if (doc.version !== version3) throw stale(`${known2.path} changed meanwhile`);
  return { refactorings: found, left };
}
function add(found, one) {
  if (found.length < maxRefactorings && !found.some((f) => f.title === one.title && f.kind === one.kind)) found.push(one);
}
async function ask2(doc, range2, kind) {
  const found = await vscode13.commands.executeCommand(
    "vscode.executeCodeActionProvider",
    doc.uri,
    doc.validateRange(toRange(range2)),
    kind,
    maxRefactorings
  );
  return found ?? [];
}

// src/methods.ts
function known(params) {
  return {
    path: text(params, "path"),
    version: params.version === void 0 ? void 0 : whole(params.version, "version"),
    sha256: optionalText(params, "sha256")
  };
}
var maxPaths = 1e3;
var maxKinds = 20;
var maxWait = 6e4;
var at = (params) => position(params.at, "at");
var severities2 = ["error", "warning", "info", "hint"];
function diagnostic(params) {
  const of = object(params.diagnostic, "diagnostic");
  return {
    path: text(params, "path"),
    range: range(of.range, "diagnostic.range"),
    severity: severities2.find((s) => s === of.severity) ?? "error",
    message: text(of, "message"),
    code: optionalText(of, "code"),
    source: optionalText(of, "source")
  };
}
async function diagnostics(params, tracker, disk, signal) {
  const end = Date.now() + Math.min(whole(params.wait, "wait"), maxWait);
  const written = params.written === void 0 ? [] : list(params, "written", maxPaths).map((value, i) => {
    const one = object(value, `written[${i}]`);
    return { path: text(one, "path"), ago: whole(one.ago, "ago") };
  });
  const paths = params.paths === void 0 ? void 0 : list(params, "paths", maxPaths).map((_, i) => text(params.paths, String(i)));
  const others = written.filter(({ path: path4 }) => !(paths == null ? void 0 : paths.includes(path4)));
  const known2 = await disk.caughtUp(others, end, signal);
  const answer = await (paths ? diagnose(paths, end, tracker, signal) : diagnoseAll(end, tracker, signal));
  if (!known2) answer.notes.push("VS Code has not yet read all changed files");
  return { ...answer, fresh: answer.fresh && known2 };
}
function methods(tracker, disk) {
  const formatters = /* @__PURE__ */ new Set();
  return {
    document: async (p) => document(text(p, "path")),
    unsaved: async () => unsaved(),
    edit: async (p) => edit(text(p, "path"), whole(p.version, "version"), edits(p), flag(p, "save")),
    open: async (p) => open(text(p, "path"), p.at === void 0 ? void 0 : position(p.at, "at"), flag(p, "preview")),
    active: async () => active(),
    diagnostics: async (p, signal) => diagnostics(p, tracker, disk, signal),
    fixes: async (p, signal) => fixes(known(p), diagnostic(p), signal),
    refactorings: async (p, signal) => refactorings(known(p), range(p.range, "range"), list(p, "kinds", maxKinds).map((_, i) => text(p.kinds, String(i))), signal),
    format: async (p) => format(known(p), formatters, p.range === void 0 ? void 0 : range(p.range, "range")),
    definition: async (p) => definition(known(p), at(p)),
    references: async (p) => references(known(p), at(p)),
    rename: async (p) => rename(known(p), at(p), text(p, "name")),
    symbols: async (p) => symbols(known(p)),
    workspaceSymbols: async (p) => workspaceSymbols(text(p, "query"))
  };
}
var windowState = () => ({ folders: folders().map((f) => f.path), focused: vscode14.window.state.focused, unsaved: unsaved().paths });
function service(all, log, version3, changed) {
  return {
    methods: all,
    notifications: { log: (params, client) => log.record(params, client) },
    welcome: () => ({ protocol, app: vscode14.env.appName, appVersion: vscode14.version, version: version3, pid: process.pid, ...windowState() }),
    changed
  };
}

// src/session.ts
var vscode15 = __toESM(require("vscode"));

// src/bridge.ts
var import_node_crypto2 = require("node:crypto");
var fs4 = __toESM(require("node:fs/promises"));
var net = __toESM(require("node:net"));

// src/rpc.ts
var maxHeader = 1024;
var maxFrame = 24 << 20;
var maxStranger = 4096;
var maxUnread = 2 * maxFrame;
var maxCalls = 64;
var Connection = class {
  constructor(socket, handler) {
    this.socket = socket;
    this.handler = handler;
    /** limit is the current limit of a message, in bytes. */
    this.limit = maxStranger;
    this.chunks = [];
    this.size = 0;
    this.wanted = -1;
    // the length of the next message; -1 before its header is complete
    this.calls = /* @__PURE__ */ new Map();
    socket.on("data", (chunk) => this.read(chunk));
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      for (const call of this.calls.values()) call.abort();
      this.handler.closed();
    });
  }
  close() {
    this.socket.destroy();
  }
  /** end closes the connection after pending writes. */
  end() {
    this.socket.end();
  }
  notify(method, params) {
    this.send({ jsonrpc: "2.0", method, params });
  }
  read(chunk) {
    this.chunks.push(chunk);
    this.size += chunk.length;
    try {
      while (!this.socket.destroyed && this.step()) ;
    } catch {
      this.close();
    }
  }
  /** step processes one header or one message of the received data. It returns false if it needs more data. */
  step() {
    if (this.wanted < 0) {
      const all2 = this.gather();
      const end = all2.subarray(0, maxHeader).indexOf("\r\n\r\n");
      if (end < 0) {
        if (all2.length >= maxHeader) throw new Error("the header is too long");
        return false;
      }
      const found = /^content-length: *(\d{1,9})$/im.exec(all2.toString("latin1", 0, end).replace(/\r/g, ""));
      const length = Number(found == null ? void 0 : found[1]);
      if (!found || length === 0 || length > this.limit) throw new Error("the length is missing, zero or over the limit");
      this.wanted = length;
      this.keep(all2.subarray(end + 4));
      return true;
    }
    if (this.size < this.wanted) return false;
    const all = this.gather();
    const body = all.toString("utf8", 0, this.wanted);
    this.keep(all.subarray(this.wanted));
    this.wanted = -1;
    this.take(JSON.parse(body));
    return true;
  }
  gather() {
    if (this.chunks.length !== 1) this.chunks = [Buffer.concat(this.chunks)];
    return this.chunks[0];
  }
  keep(rest) {
    this.chunks = [rest];
    this.size = rest.length;
  }
  take(value) {
    var _a;
    const message = value;
    if (typeof value !== "object" || value === null || typeof message.method !== "string") throw new Error("not a request");
    const { id, method, params } = message;
    if (method === "$/cancelRequest") {
      (_a = this.calls.get(params == null ? void 0 : params.id)) == null ? void 0 : _a.abort();
    } else if (id === void 0) {
      this.handler.notify(method, params);
    } else if (typeof id === "number" || typeof id === "string") {
      void this.answer(id, method, params);
    } else {
      throw new Error("the id is neither a number nor a string");
    }
  }
  async answer(id, method, params) {
    const call = new AbortController();
    try {
      if (this.calls.size >= maxCalls) throw new Fault(Code.busy, "too many requests are running");
      if (this.calls.has(id)) throw new Fault(Code.invalidRequest, "a request with this id is running");
    } catch (err) {
      return this.fail(id, err);
    }
    this.calls.set(id, call);
    try {
      const gaveUp = new Promise(
        (_, reject) => call.signal.addEventListener("abort", () => reject(new Fault(Code.cancelled, "cancelled")))
      );
      const result = await Promise.race([this.handler.request(method, params, call.signal), gaveUp]);
      this.send({ jsonrpc: "2.0", id, result: result ?? null });
    } catch (err) {
      this.fail(id, err);
    } finally {
      this.calls.delete(id);
    }
  }
  fail(id, err) {
    const code = err instanceof Fault ? err.code : Code.internal;
    const message = (err instanceof Error ? err.message : String(err)).slice(0, 2e3);
    this.send({ jsonrpc: "2.0", id, error: { code, message } });
  }
  send(message) {
    if (this.socket.destroyed || this.socket.writableEnded) return;
    const body = Buffer.from(JSON.stringify(message));
    if (body.length > maxFrame) {
      if (message.id !== void 0) this.fail(message.id, new Fault(Code.tooLarge, `the answer exceeds ${maxFrame} bytes`));
      return;
    }
    if (this.socket.writableLength > maxUnread) return this.close();
    this.socket.write(`Content-Length: ${body.length}\r
\r
`);
    this.socket.write(body);
  }
};

// src/bridge.ts
var maxClients = 16;
var helloTimeout = 5e3;
var Bridge = class {
  constructor(rendezvous, service2) {
    this.rendezvous = rendezvous;
    this.service = service2;
    this.server = net.createServer((socket) => this.accept(socket));
    this.known = /* @__PURE__ */ new Map();
    this.connections = 0;
  }
  async listen() {
    await new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(this.rendezvous.socket, () => resolve());
    });
    this.server.on("error", () => void 0);
    if (process.platform !== "win32") await fs4.chmod(this.rendezvous.socket, 384);
  }
  clients() {
    return [...this.known.values()];
  }
  /** broadcast sends a notification to all clients. */
  broadcast(method, params) {
    for (const connection of this.known.keys()) connection.notify(method, params);
  }
  async close() {
    const closed = new Promise((resolve) => this.server.close(() => resolve()));
    for (const connection of this.known.keys()) connection.close();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1e3).unref())]);
  }
  accept(socket) {
    if (this.connections >= maxClients) {
      socket.destroy();
      return;
    }
    this.connections++;
    const timer = setTimeout(() => socket.destroy(), helloTimeout);
    const connection = new Connection(socket, {
      request: async (method, params, signal) => {
        const client = this.known.get(connection);
        if (client) return this.call(client, method, params, signal);
        try {
          if (method !== "hello") throw new Fault(Code.invalidRequest, "the first request must be hello");
          const welcome = this.hello(connection, object(params, "params"));
          clearTimeout(timer);
          return welcome;
        } catch (err) {
          setImmediate(() => connection.end());
          throw err;
        }
      },
      notify: (method, params) => {
        const client = this.known.get(connection);
        if (!client) return connection.close();
        const handle = own(this.service.notifications, method);
        try {
          handle == null ? void 0 : handle(object(params, "params"), client);
        } catch {
        }
      },
      closed: () => {
        this.connections--;
        clearTimeout(timer);
        if (this.known.delete(connection)) this.service.changed();
      }
    });
  }
  hello(connection, params) {
    const digest2 = (s) => (0, import_node_crypto2.createHash)("sha256").update(s).digest();
    if (!(0, import_node_crypto2.timingSafeEqual)(digest2(text(params, "token")), digest2(this.rendezvous.token))) throw new Fault(Code.invalidRequest, "the token is wrong");
    const speaks = whole(params.protocol, "protocol");
    if (speaks !== protocol) {
      const old = speaks < protocol ? "the server" : "the extension Dougu";
      throw new Fault(Code.invalidRequest, `the server uses version ${speaks} of the protocol, the extension version ${protocol}: update ${old}`);
    }
    const about2 = object(params.client, "client");
    this.known.set(connection, {
      name: text(about2, "name").slice(0, 100),
      version: text(about2, "version").slice(0, 100),
      pid: whole(about2.pid, "client.pid")
    });
    connection.limit = maxFrame;
    this.service.changed();
    return this.service.welcome();
  }
  async call(client, method, params, signal) {
    const handle = own(this.service.methods, method);
    if (!handle) throw new Fault(Code.unknownMethod, `unknown method ${method.slice(0, 100)}`);
    return handle(object(params ?? {}, "params"), signal, client);
  }
};
function own(of, name) {
  return Object.prototype.hasOwnProperty.call(of, name) ? of[name] : void 0;
}

// src/process.ts
var import_node_child_process = require("node:child_process");
var readline = __toESM(require("node:readline"));
var grace = 3e3;
var Process = class {
  constructor(server2, extra, line) {
    this.ending = false;
    this.child = (0, import_node_child_process.spawn)(server2.command, [...server2.args, ...extra], {
      cwd: server2.cwd,
      env: { ...process.env, ...server2.env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: process.platform !== "win32",
      // its own process group, so that stop can end all of its processes
      windowsHide: true
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream) readline.createInterface({ input: stream }).on("line", line);
    }
    this.ended = new Promise((resolve) => {
      this.child.once("error", (err) => resolve(err.message));
      this.child.once("exit", (code, signal) => resolve(this.ending ? void 0 : signal ? `it was ended by ${signal}` : `it ended with code ${code}`));
    });
  }
  /** stop ends the server and its child processes. */
  async stop() {
    this.ending = true;
    this.signal("SIGTERM");
    const timer = setTimeout(() => this.signal("SIGKILL"), grace);
    await this.ended;
    clearTimeout(timer);
    if (process.platform !== "win32") this.signal("SIGKILL");
  }
  signal(name) {
    const pid = this.child.pid;
    if (pid === void 0) return;
    try {
      if (process.platform === "win32") (0, import_node_child_process.spawn)("taskkill", ["/pid", String(pid), "/T", "/F"], { windowsHide: true, stdio: "ignore" }).on("error", () => void 0);
      else process.kill(-pid, name);
    } catch {
    }
  }
};

// src/rendezvous.ts
var import_node_crypto3 = require("node:crypto");
var fs5 = __toESM(require("node:fs/promises"));
var os2 = __toESM(require("node:os"));
var path3 = __toESM(require("node:path"));
var maxSocket = 103;
function directories(env3 = process.env, platform = process.platform, home = os2.homedir()) {
  if (env3.DOUGU_VSCODE_DIR) return [env3.DOUGU_VSCODE_DIR];
  if (platform === "win32") return [path3.join(env3.LOCALAPPDATA || path3.join(home, "AppData", "Local"), "dougu", "vscode")];
  const all = [path3.join(home, ".cache", "dougu", "vscode")];
  if (env3.XDG_RUNTIME_DIR && path3.isAbsolute(env3.XDG_RUNTIME_DIR)) all.unshift(path3.join(env3.XDG_RUNTIME_DIR, "dougu", "vscode"));
  return all;
}
async function makePrivate(dir) {
  await fs5.mkdir(dir, { recursive: true, mode: 448 });
  const info = await fs5.lstat(dir);
  if (!info.isDirectory()) throw new Error(`${dir} is not a directory`);
  if (process.getuid === void 0) return;
  if (info.uid !== process.getuid()) throw new Error(`${dir} belongs to another user`);
  if ((info.mode & 63) !== 0) await fs5.chmod(dir, 448);
}
var Rendezvous = class _Rendezvous {
  constructor(socket, file, socketDir) {
    this.socket = socket;
    this.file = file;
    this.socketDir = socketDir;
    this.token = (0, import_node_crypto3.randomBytes)(32).toString("hex");
    this.written = "";
  }
  /** open selects the directory for a window with these folders, and creates it. */
  static async open(folders2, dirs = directories()) {
    const name = (0, import_node_crypto3.createHash)("sha256").update([...folders2, String(process.pid)].join("\n")).digest("hex").slice(0, 16);
    const faults = [];
    for (const dir of dirs) {
      try {
        await makePrivate(dir);
        const file = path3.join(dir, `${name}.json`);
        if (process.platform === "win32") return new _Rendezvous(`\\\\.\\pipe\\dougu-${name}-${(0, import_node_crypto3.randomBytes)(8).toString("hex")}`, file);
        const socket = path3.join(dir, `${name}.sock`);
        if (Buffer.byteLength(socket) > maxSocket) {
          const socketDir = await fs5.mkdtemp(path3.join(os2.tmpdir(), "dougu-"));
          return new _Rendezvous(path3.join(socketDir, "s"), file, socketDir);
        }
        await fs5.rm(socket, { force: true });
        return new _Rendezvous(socket, file);
      } catch (err) {
        faults.push(String(err));
      }
    }
    throw new Error(`no usable directory for the socket: ${faults.join("; ")}`);
  }
  /** describe writes the file atomically. */
  async describe(about2) {
    const all = { ...about2, socket: this.socket, token: this.token, pid: process.pid, host: os2.hostname() };
    this.written = JSON.stringify(all, void 0, 2) + "\n";
    await this.write();
  }
  /** keep writes the file again if it was removed. */
  async keep() {
    if (this.written !== "" && !await fs5.stat(this.file).catch(() => void 0)) await this.write();
  }
  async write() {
    const draft = `${this.file}.${(0, import_node_crypto3.randomBytes)(4).toString("hex")}.tmp`;
    await fs5.writeFile(draft, this.written, { mode: 384, flag: "wx" });
    await fs5.rename(draft, this.file);
  }
  async close() {
    this.written = "";
    await fs5.rm(this.file, { force: true });
    if (process.platform !== "win32") await fs5.rm(this.socket, { force: true });
    if (this.socketDir) await fs5.rm(this.socketDir, { recursive: true, force: true });
  }
};

// src/session.ts
var keepInterval = 15e3;
var Session = class {
  constructor(service2, version3, tools2, output, changed) {
    this.service = service2;
    this.version = version3;
    this.tools = tools2;
    this.output = output;
    this.changed = changed;
    /** wanted is true between start and stop. A window without a folder starts to listen when it gets one. */
    this.wanted = false;
    this.queue = Promise.resolve();
  }
  state() {
    var _a;
    return { listening: this.bridge !== void 0, clients: ((_a = this.bridge) == null ? void 0 : _a.clients()) ?? [], server: this.at, fault: this.fault };
  }
  /** start listens for servers. If withServer is true, it also starts the server of the settings. */
  start(withServer) {
    return this.next(async () => {
      this.fault = void 0;
      this.wanted = true;
      await this.listen();
      if (withServer) this.launch();
    });
  }
  stop() {
    return this.next(() => {
      this.wanted = false;
      return this.end();
    });
  }
  restart(withServer) {
    void this.stop();
    return this.start(withServer);
  }
  /** windowChanged sends the new state to the connected servers. If the folders have changed, it also updates the file by which later servers find the window. */
  windowChanged(state, otherFolders) {
    var _a;
    (_a = this.bridge) == null ? void 0 : _a.broadcast("window", state);
    if (!otherFolders) return;
    void this.next(async () => {
      if (this.wanted) await this.listen();
      await this.describe();
    });
  }
  next(step) {
    this.queue = this.queue.then(step).catch((err) => {
      this.fault = err instanceof Error ? err.message : String(err);
      this.output.error(this.fault);
    });
    return this.queue.then(() => this.changed(this.state()));
  }
  async listen() {
    if (this.bridge || folders().length + foreign().length === 0) return;
    const rendezvous = await Rendezvous.open(folders().map((f) => f.path));
    const bridge = new Bridge(rendezvous, this.service(() => this.changed(this.state())));
    await bridge.listen();
    this.rendezvous = rendezvous;
    this.bridge = bridge;
    await this.describe();
    this.timer = setInterval(() => void rendezvous.keep().catch((err) => this.output.warn(String(err))), keepInterval);
    if (folders().length === 0) {
      throw new Error(`servers cannot use this window, since ${foreign().join(", ")} is not on this machine: install the extension where the folder is, and start the server there`);
    }
    ;
    this.output.info(`servers find this window by ${rendezvous.file}`);
  }
  async describe() {
    var _a;
    await ((_a = this.rendezvous) == null ? void 0 : _a.describe({
      protocol,
      folders: folders().map((f) => f.path),
      foreign: foreign().slice(0, 20),
      app: vscode15.env.appName,
      appVersion: vscode15.version,
      version: this.version
    }));
  }
  launch() {
    const server2 = server(this.tools);
    if (this.process || !server2) return;
    const address2 = address();
    const started = new Process(server2, ["-http", address2], (line) => this.output.info(`[server] ${line.slice(0, 8e3)}`));
    this.output.info(`${server2.command} serves MCP at http://${address2}/mcp`);
    this.process = started;
    this.at = `http://${address2}/mcp`;
    void started.ended.then((why) => {
      if (this.process !== started) return;
      this.process = this.at = void 0;
      this.fault = why && `the server has ended: ${why}`;
      if (this.fault) this.output.error(this.fault);
      this.changed(this.state());
    });
  }
  async end() {
    clearInterval(this.timer);
    const { bridge, rendezvous, process: process2 } = this;
    this.bridge = this.rendezvous = this.process = this.at = this.fault = void 0;
    await Promise.all([process2 == null ? void 0 : process2.stop(), bridge == null ? void 0 : bridge.close().then(() => rendezvous == null ? void 0 : rendezvous.close())]);
  }
};

// src/status.ts
var vscode16 = __toESM(require("vscode"));
function describe({ listening, clients, server: server2, fault }) {
  const lines = [
    listening ? "Servers can connect to this window." : "Servers cannot connect to this window.",
    ...clients.map(({ name, version: version3, pid }) => `Connected: ${name} ${version3} (process ${pid})`),
    ...server2 ? [`Serves MCP at ${server2}`] : [],
    ...fault ? [`Failed: ${fault}`] : []
  ];
  const icon = fault ? "$(error)" : listening ? "$(plug)" : "$(debug-disconnect)";
  return { text: `${icon} Dougu${clients.length > 0 ? ` ${clients.length}` : ""}`, tooltip: lines.join("\n"), bad: fault !== void 0 };
}
function statusBar() {
  const item = vscode16.window.createStatusBarItem("dougu", vscode16.StatusBarAlignment.Right, 50);
  item.name = "Dougu";
  item.command = "dougu.showLog";
  item.show();
  const show = (state) => {
    const { text: text2, tooltip, bad } = describe(state);
    item.text = text2;
    item.tooltip = tooltip;
    item.backgroundColor = bad ? new vscode16.ThemeColor("statusBarItem.errorBackground") : void 0;
  };
  return { item, show };
}

// src/tracker.ts
var quiet = 200;
var minSilence = 1e3;
var Tracker = class {
  // by language: the longest time from a change to the first report
  constructor(now = Date.now) {
    this.now = now;
    this.docs = /* @__PURE__ */ new Map();
    this.longest = /* @__PURE__ */ new Map();
  }
  changed(doc) {
    const key = doc.uri.toString();
    const entry = this.docs.get(key);
    if (entry) entry.changed = this.now();
    else this.docs.set(key, { changed: this.now(), reported: 0 });
  }
  closed(doc) {
    this.docs.delete(doc.uri.toString());
  }
  /** reported records that the diagnostics of a document were set. Other documents than loaded ones are ignored. */
  reported(doc) {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry) return;
    if (entry.reported <= entry.changed) {
      const took = this.now() - entry.changed;
      if (took < 2e4) this.longest.set(doc.languageId, Math.max(took, this.longest.get(doc.languageId) ?? 0));
    }
    entry.reported = this.now();
  }
  /** spoke reports whether an extension ever set the diagnostics of a document. */
  spoke(doc) {
    var _a;
    return (((_a = this.docs.get(doc.uri.toString())) == null ? void 0 : _a.reported) ?? 0) > 0;
  }
  /** isFresh reports whether the diagnostics of a document belong to its current text. */
  isFresh(doc) {
    const entry = this.docs.get(doc.uri.toString());
    if (!entry || entry.reported === 0) return false;
    const now = this.now();
    if (entry.reported > entry.changed) return now - entry.reported >= quiet;
    return now - entry.changed >= Math.max(minSilence, 3 * (this.longest.get(doc.languageId) ?? 0));
  }
  /** isQuiet reports whether no document has changed and no diagnostics were reported lately. */
  isQuiet() {
    const now = this.now();
    for (const { changed, reported } of this.docs.values()) {
      if (now - changed < minSilence || now - reported < quiet) return false;
    }
    return true;
  }
};

// src/extension.ts
var session;
async function activate(context) {
  const manifest = context.extension.packageJSON;
  const output = vscode17.window.createOutputChannel("Dougu", { log: true });
  const tracker = new Tracker();
  const disk = new Disk();
  const tools2 = tools(manifest);
  const { item, show } = statusBar();
  const log = new Log(output);
  const on = new Session((changed) => service(methods(tracker, disk), log, manifest.version, changed), manifest.version, tools2, output, show);
  session = on;
  const changes = new vscode17.EventEmitter();
  const command = (name, run) => vscode17.commands.registerCommand(`dougu.${name}`, run);
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
    vscode17.window.onDidChangeWindowState(() => on.windowChanged(windowState(), false)),
    vscode17.workspace.onDidChangeWorkspaceFolders(() => on.windowChanged(windowState(), true)),
    vscode17.workspace.onDidGrantWorkspaceTrust(() => changes.fire()),
    vscode17.workspace.onDidChangeConfiguration((e) => {
      if (e.affectsConfiguration("dougu")) changes.fire();
      if (e.affectsConfiguration("dougu.enabled")) void (isEnabled() ? on.start(startsAutomatically()) : on.stop());
    }),
    offer(tools2, manifest.version, changes.event) ?? { dispose: () => void 0 }
  );
  if (isEnabled()) await on.start(startsAutomatically());
  else show(on.state());
}
async function deactivate() {
  await (session == null ? void 0 : session.stop());
}
// Annotate the CommonJS export names for ESM import in node:
0 && (module.exports = {
  activate,
  deactivate
});
