// Prints the uses of functions of a directory as pyright resolves them.
//
//	node pyright.cjs <pyright-langserver> <directory> <number of functions>
const [, , server, dir, most] = process.argv;
const { spawn } = require("child_process");
const fs = require("fs");
const path = require("path");
const { pathToFileURL, fileURLToPath } = require("url");

const names = [];
(function walk(at) {
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    const name = path.join(at, entry.name);
    if (entry.isDirectory()) walk(name);
    else if (/\.py$/.test(entry.name)) names.push(name);
  }
})(dir);
names.sort();

// Code for all platforms is checked.
fs.writeFileSync(path.join(dir, "pyrightconfig.json"), JSON.stringify({ pythonPlatform: "All" }));
const child = spawn(process.execPath, [server, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] });
let buffer = Buffer.alloc(0), next = 1;
const waiting = new Map();
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  child.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
};
const request = (method, params) => new Promise((resolve) => {
  waiting.set(next, resolve);
  send({ id: next++, method, params });
});
child.stdout.on("data", (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const head = buffer.indexOf("\r\n\r\n");
    if (head < 0) return;
    const length = Number(/Content-Length: (\d+)/.exec(buffer.slice(0, head).toString())[1]);
    if (buffer.length < head + 4 + length) return;
    const message = JSON.parse(buffer.slice(head + 4, head + 4 + length).toString());
    buffer = buffer.slice(head + 4 + length);
    if (message.method === "workspace/configuration") send({ id: message.id, result: message.params.items.map(() => ({ analysis: { diagnosticMode: "openFilesOnly", useLibraryCodeForTypes: true }, pythonPath: "/usr/bin/python3" })) });
    else if (message.method && message.id !== undefined) send({ id: message.id, result: null });
    else if (waiting.has(message.id)) {
      waiting.get(message.id)(message.result);
      waiting.delete(message.id);
    }
  }
});

// The lines of import statements.
const importLines = (lines) => {
  const found = new Set();
  let inside = false;
  lines.forEach((line, n) => {
    if (inside || /^\s*(from\s.*\simport|import)\b/.test(line)) {
      found.add(n);
      inside = (inside || line.includes("(")) && !line.includes(")");
    }
  });
  return found;
};

(async () => {
  const root = pathToFileURL(dir).href;
  await request("initialize", { processId: process.pid, rootUri: root, workspaceFolders: [{ uri: root, name: "root" }], capabilities: { workspace: { configuration: true, workspaceFolders: true } } });
  send({ method: "initialized", params: {} });
  const texts = new Map(names.map((name) => [name, fs.readFileSync(name, "utf8")]));
  let all = [];
  for (const [name, text] of texts) {
    text.split("\n").forEach((line, n) => {
      const m = /^(\s*(?:async\s+)?def\s+)(\w+)\s*[([]/.exec(line);
      if (m && !/^__\w+__$/.test(m[2])) all.push({ name, line: n, column: m[1].length, word: m[2] });
    });
  }
  let seed = 12345;
  const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  all = all.map((f) => [random(), f]).sort((a, b) => a[0] - b[0]).map((f) => f[1]).slice(0, Number(most));
  const opened = new Set();
  const functions = [];
  for (const f of all) {
    const uri = pathToFileURL(f.name).href;
    if (!opened.has(f.name)) {
      opened.add(f.name);
      send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "python", version: 1, text: texts.get(f.name) } } });
    }
    const found = await request("textDocument/references", { textDocument: { uri }, position: { line: f.line, character: f.column + 1 }, context: { includeDeclaration: false } });
    const text = texts.get(f.name);
    const start = text.split("\n").slice(0, f.line).join("\n").length + (f.line > 0 ? 1 : 0) + f.column;
    const resolved = [];
    for (const { uri, range } of found ?? []) {
      const name = fileURLToPath(uri);
      if (!texts.has(name) || importLines(texts.get(name).split("\n")).has(range.start.line)) continue;
      const line = texts.get(name).split("\n")[range.start.line];
      // Declarations, and names in __all__.
      if (/\bdef\s+$/.test(line.slice(0, range.start.character)) || /["']/.test(line[range.start.character - 1] ?? "") || new RegExp(`^\\s*${f.word}\\s*:`).test(line)) continue;
      resolved.push({ path: path.relative(dir, name).split(path.sep).join("/"), line: range.start.line + 1 });
    }
    functions.push({ path: path.relative(dir, f.name).split(path.sep).join("/"), name: f.word, offset: Buffer.byteLength(text.slice(0, start)), resolved, possible: [] });
  }
  console.log(JSON.stringify({ files: names.map((name) => path.relative(dir, name).split(path.sep).join("/")), functions }));
  child.kill();
  process.exit(0);
})();
