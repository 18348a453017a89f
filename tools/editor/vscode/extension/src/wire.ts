// What goes over the wire. Lines and columns count from 0, columns in UTF-16 code units, as in the Language Server Protocol. Paths
// are those of the operating system, with every link resolved.

/** protocol is the version of all this. A client that speaks another is refused. */
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

/** Text names a document as its caller knows it: by the version of an open one, or by the SHA-256 of its text with line ends LF. */
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
  /** id is of a fix without edits, which `resolve` finds out. */
  id?: string;
}

export interface Symbol {
  name: string;
  kind: string;
  container?: string;
  path: string;
  range: Range;
  selection: Range;
}

/** The codes of faults beside those of JSON-RPC. */
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

/** Fault is an error that the client is told. */
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
