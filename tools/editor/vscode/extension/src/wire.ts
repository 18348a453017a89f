// The types of the protocol. Lines and columns count from 0, columns in UTF-16 code units, as in the Language Server Protocol. Paths
// are those of the operating system, with every link resolved.

/** protocol is the version of the protocol. A client with another version is refused. */
export const protocol = 1;

export interface Position {
  line: number;
  character: number;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

/** Known names a document and the content that the client expects: the version of an open document, or the SHA-256 of the text with line ends LF. */
export interface Known {
  path: string;
  version?: number;
  sha256?: string;
}

export interface Document {
  path: string;
  text: string;
  version: number;
  dirty: boolean;
  language: string;
}

export interface Diagnostic {
  path: string;
  range: Range;
  severity: "error" | "warning" | "info" | "hint";
  message: string;
  code?: string;
  source?: string;
}

export interface Location {
  path: string;
  range: Range;
}

export interface FileEdit {
  op: "change" | "create" | "rename" | "delete";
  path: string;
  newPath?: string;
  edits?: TextEdit[];
  version?: number;
}

export interface Fix {
  title: string;
  kind: string;
  preferred?: boolean;
  edits?: FileEdit[];
  /** id identifies a fix without edits, which `resolve` returns. */
  id?: string;
}

export interface Refactoring {
  title: string;
  kind: string;
  preferred?: boolean;
  /** disabled is the reason why it is not possible here. */
  disabled?: string;
  edits?: FileEdit[];
}

export interface Symbol {
  name: string;
  kind: string;
  container?: string;
  path: string;
  range: Range;
  selection: Range;
}

/** Code has the codes of errors: those of JSON-RPC and of the Language Server Protocol, and our own from 1 on. */
export const Code = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  cancelled: -32800,
  stale: -32801,
  unsupported: 1,
  busy: 2,
  tooLarge: 3,
} as const;

/** Fault is an error that is sent to the client. */
export class Fault extends Error {
  constructor(
    readonly code: number,
    message: string,
  ) {
    super(message);
  }
}

export const stale = (message: string) => new Fault(Code.stale, message);
export const unsupported = (message: string) => new Fault(Code.unsupported, message);
