// A fake of the module of VS Code, with the parts that the tests use. vscode_real_test.go uses the real one.
import * as fs from "node:fs";
import * as path from "node:path";
import { pathToFileURL } from "node:url";

export class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

export class Range {
  constructor(
    readonly start: Position,
    readonly end: Position,
  ) {}
  get isEmpty(): boolean {
    return this.start.line === this.end.line && this.start.character === this.end.character;
  }
}

export class Selection extends Range {
  get active(): Position {
    return this.end;
  }
}

export class Uri {
  private constructor(
    readonly scheme: string,
    readonly fsPath: string,
    readonly authority = "",
  ) {}
  static file(file: string): Uri {
    return new Uri("file", file);
  }
  static other(scheme: string, name: string, authority = ""): Uri {
    return new Uri(scheme, name, authority);
  }
  static joinPath(base: Uri, ...way: string[]): Uri {
    return new Uri(base.scheme, path.join(base.fsPath, ...way));
  }
  toString(): string {
    return this.scheme === "file" ? pathToFileURL(this.fsPath).href : `${this.scheme}:${this.authority && `//${this.authority}`}${this.fsPath}`;
  }
}

export class TextEdit {
  constructor(
    readonly range: Range,
    readonly newText: string,
  ) {}
}

export class SnippetTextEdit {}

export class WorkspaceEdit {
  readonly all: { _type: number; uri?: Uri; edit?: unknown; from?: Uri; to?: Uri }[] = [];
  set(uri: Uri, edits: unknown[]): void {
    for (const edit of edits) this.all.push({ _type: edit instanceof TextEdit ? 2 : 6, uri, edit });
  }
  renameFile(from: Uri, to: Uri): void {
    this.all.push({ _type: 1, from, to });
  }
  createFile(to: Uri): void {
    this.all.push({ _type: 1, to });
  }
  deleteFile(from: Uri): void {
    this.all.push({ _type: 1, from });
  }
  get size(): number {
    return new Set(this.all.map((e) => String(e.uri ?? e.from ?? e.to))).size;
  }
  entries(): [Uri, TextEdit[]][] {
    const found = new Map<string, [Uri, TextEdit[]]>();
    for (const { _type, uri, edit } of this.all) {
      if (_type !== 2 || !uri) continue;
      const known = found.get(String(uri)) ?? [uri, []];
      found.set(String(uri), known);
      known[1].push(edit as TextEdit);
    }
    return [...found.values()];
  }
  _allEntries?(): unknown[] {
    return this.all;
  }
}

export enum DiagnosticSeverity {
  Error,
  Warning,
  Information,
  Hint,
}

export class Diagnostic {
  code?: string | number | { value: string | number };
  source?: string;
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity = DiagnosticSeverity.Error,
  ) {}
}

export enum SymbolKind {
  File,
  Module,
  Namespace,
  Package,
  Class,
  Method,
  Function = 11,
  EnumMember = 21,
}

export enum ViewColumn {
  Beside = -2,
  Active = -1,
}

export const CodeActionKind = { QuickFix: { value: "quickfix" } };
export const StatusBarAlignment = { Left: 1, Right: 2 };

export class ThemeColor {
  constructor(readonly id: string) {}
}

export class TabInputText {
  constructor(readonly uri: Uri) {}
}

export class TabInputTextDiff {
  constructor(
    readonly original: Uri,
    readonly modified: Uri,
  ) {}
}

export class Disposable {
  constructor(readonly dispose: () => void) {}
  static from(...all: { dispose: () => void }[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

/** TextDocument is a document that the stand-in holds. Its file is what fs says. */
export class TextDocument {
  version = 1;
  isDirty = false;
  isClosed = false;
  constructor(
    readonly uri: Uri,
    public text: string,
    public languageId = "plaintext",
  ) {}
  getText(): string {
    return this.text;
  }
  private starts(): number[] {
    return [0, ...[...this.text.matchAll(/\r\n|\r|\n/g)].map((m) => (m.index ?? 0) + m[0].length)];
  }
  offsetAt({ line, character }: Position): number {
    const starts = this.starts();
    if (line >= starts.length) return this.text.length;
    const start = starts[line] as number;
    const length = this.text.slice(start, starts[line + 1] ?? this.text.length).replace(/[\r\n]+$/, "").length;
    return start + Math.min(character, length);
  }
  positionAt(offset: number): Position {
    const starts = this.starts();
    let line = 0;
    while (line + 1 < starts.length && (starts[line + 1] as number) <= offset) line++;
    return new Position(line, offset - (starts[line] as number));
  }
  validatePosition(p: Position): Position {
    return this.positionAt(this.offsetAt(p));
  }
  validateRange(r: Range): Range {
    return new Range(this.validatePosition(r.start), this.validatePosition(r.end));
  }
  change(text: string): void {
    this.text = text;
    this.version++;
    this.isDirty = true;
  }
  async save(): Promise<boolean> {
    if (failing.save) return false;
    fs.writeFileSync(this.uri.fsPath, this.text);
    this.isDirty = false;
    return true;
  }
}

/** failing is what the stand-in refuses. */
export const failing = { save: false, edit: false };
/** answers are those of commands, by their names. */
export const answers = new Map<string, (...args: unknown[]) => unknown>();
/** set are the settings, by the names that they have in the file of settings. */
export const set = new Map<string, { globalValue?: unknown; workspaceValue?: unknown }>();

const nothing = () => new Disposable(() => undefined);

export const workspace = {
  workspaceFolders: undefined as { uri: Uri }[] | undefined,
  textDocuments: [] as TextDocument[],
  isTrusted: true,
  async openTextDocument(uri: Uri): Promise<TextDocument> {
    const bytes = fs.readFileSync(uri.fsPath);
    if (bytes.includes(0)) throw new Error("binary");
    const doc = new TextDocument(uri, bytes.toString("utf8"), languages.of(uri));
    workspace.textDocuments.push(doc);
    return doc;
  },
  async applyEdit(edit: WorkspaceEdit): Promise<boolean> {
    if (failing.edit) return false;
    for (const [uri, edits] of edit.entries()) {
      const doc = workspace.textDocuments.find((d) => String(d.uri) === String(uri));
      if (!doc) return false;
      let text = doc.text;
      const spans = edits.map((e) => [doc.offsetAt(e.range.start), doc.offsetAt(e.range.end), e.newText] as const);
      for (const [start, end, put] of spans.sort((a, b) => b[0] - a[0])) text = text.slice(0, start) + put + text.slice(end);
      doc.change(text);
    }
    return true;
  },
  getConfiguration(section: string) {
    return {
      get: <T>(name: string, fallback: T) => {
        const value = set.get(`${section}.${name}`);
        return (value?.workspaceValue ?? value?.globalValue ?? fallback) as T;
      },
      inspect: (name: string) => set.get(`${section}.${name}`),
    };
  },
  getWorkspaceFolder: (uri: Uri) => workspace.workspaceFolders?.find((f) => uri.fsPath.startsWith(f.uri.fsPath)),
  onDidOpenTextDocument: nothing,
  onDidCloseTextDocument: nothing,
  onDidChangeTextDocument: nothing,
};

interface Tab {
  input: unknown;
}

interface Editor {
  document: TextDocument;
  selection?: Selection;
  options?: object;
}

export const window = {
  state: { focused: true },
  activeTextEditor: undefined as Editor | undefined,
  visibleTextEditors: [] as Editor[],
  tabGroups: {
    all: [] as { tabs: Tab[] }[],
    activeTabGroup: undefined as { activeTab?: Tab } | undefined,
    async close(tabs: Tab[]): Promise<boolean> {
      for (const group of window.tabGroups.all) group.tabs = group.tabs.filter((tab) => !tabs.includes(tab));
      return true;
    },
  },
  async showTextDocument(document: TextDocument, options: object): Promise<Editor> {
    const editor = { document, options, selection: (options as { selection?: Selection }).selection };
    window.tabGroups.all.push({ tabs: [{ input: new TabInputText(document.uri) }] });
    window.visibleTextEditors.push(editor);
    return editor;
  },
};

export const languages = {
  found: new Map<string, Diagnostic[]>(),
  of: (uri: Uri) => ({ ".ts": "typescript", ".py": "python", ".go": "go" })[path.extname(uri.fsPath)] ?? "plaintext",
  getDiagnostics: (uri?: Uri) =>
    uri ? (languages.found.get(String(uri)) ?? []) : [...languages.found].map(([key, all]) => [Uri.file(new URL(key).pathname), all] as const),
  onDidChangeDiagnostics: nothing,
};

export const commands = {
  async executeCommand(name: string, ...args: unknown[]): Promise<unknown> {
    const answer = answers.get(name);
    if (!answer) throw new Error(`command '${name}' not found`);
    return answer(...args);
  },
};

export const extensions = { all: [] as { packageJSON: object }[] };
export const env = { appName: "a stand-in" };
export const version = "1.80.0";

/** reset forgets all that a test has set. */
export function reset(...folders: string[]): void {
  workspace.workspaceFolders = folders.map((folder) => ({ uri: Uri.file(folder) }));
  workspace.textDocuments = [];
  workspace.isTrusted = true;
  window.activeTextEditor = undefined;
  window.visibleTextEditors = [];
  window.tabGroups.all = [];
  window.tabGroups.activeTabGroup = undefined;
  languages.found.clear();
  extensions.all = [];
  answers.clear();
  set.clear();
  failing.save = failing.edit = false;
}
