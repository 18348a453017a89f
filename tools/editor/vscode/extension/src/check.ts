// Checks the types of parameters, which come from clients. Each function returns the checked value, or throws a Fault with invalidParams.
import { Code, Fault, Position, Range, TextEdit } from "./wire";

export type Params = Record<string, unknown>;

const invalid = (message: string) => new Fault(Code.invalidParams, message);

/** maxInteger is the highest accepted number, for example of a line or column. */
const maxInteger = 2 ** 31 - 1;

export function object(value: unknown, name: string): Params {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw invalid(`${name} must be an object`);
  return value as Params;
}

export function text(params: Params, name: string): string {
  const value = params[name];
  if (typeof value !== "string") throw invalid(`${name} must be a string`);
  return value;
}

export function optionalText(params: Params, name: string): string | undefined {
  return params[name] === undefined ? undefined : text(params, name);
}

export function flag(params: Params, name: string): boolean {
  const value = params[name];
  if (value !== undefined && typeof value !== "boolean") throw invalid(`${name} must be true or false`);
  return value === true;
}

export function whole(value: unknown, name: string): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0 || value > maxInteger) throw invalid(`${name} must be a whole number`);
  return value;
}

export function list(params: Params, name: string, limit: number): unknown[] {
  const value = params[name];
  if (!Array.isArray(value)) throw invalid(`${name} must be a list`);
  if (value.length > limit) throw invalid(`${name} has more than ${limit} elements`);
  return value;
}

export function position(value: unknown, name: string): Position {
  const p = object(value, name);
  return { line: whole(p.line, `${name}.line`), character: whole(p.character, `${name}.character`) };
}

export function range(value: unknown, name: string): Range {
  const r = object(value, name);
  const start = position(r.start, `${name}.start`);
  const end = position(r.end, `${name}.end`);
  if (end.line < start.line || (end.line === start.line && end.character < start.character)) {
    throw invalid(`${name} ends before it begins`);
  }
  return { start, end };
}

export function edits(params: Params): TextEdit[] {
  return list(params, "edits", 100_000).map((value, i) => {
    const edit = object(value, `edits[${i}]`);
    return { range: range(edit.range, `edits[${i}].range`), newText: text(edit, "newText") };
  });
}
