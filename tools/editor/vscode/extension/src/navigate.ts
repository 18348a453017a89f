// Definitions, references, renames and symbols.
import * as vscode from "vscode";
import { fromLocation, fromRange, fromWorkspaceEdit, toPosition } from "./convert";
import { expected } from "./documents";
import { pathOf } from "./places";
import { FileEdit, Known, Location, Position, stale, Symbol, unsupported } from "./wire";

/** maxItems is the limit of locations or symbols in an answer. */
const maxItems = 10_000;
/** maxDepth is the limit of nested symbols. */
const maxDepth = 50;

async function locations(command: string, known: Known, at: Position): Promise<{ locations: Location[] }> {
  const doc = await expected(known);
  const version = doc.version;
  const found = await vscode.commands.executeCommand<(vscode.Location | vscode.LocationLink)[] | undefined>(command, doc.uri, toPosition(at));
  if (doc.version !== version) throw stale(`${known.path} changed meanwhile`);
  // VS Code returns an empty list also if no extension supports the language.
  if (!found?.length) throw unsupported(`the extensions of VS Code found no result for that position in ${known.path}`);
  return { locations: found.slice(0, maxItems).flatMap((one) => fromLocation(one) ?? []) };
}

export const definition = (known: Known, at: Position) => locations("vscode.executeDefinitionProvider", known, at);
export const references = (known: Known, at: Position) => locations("vscode.executeReferenceProvider", known, at);

export async function rename(known: Known, at: Position, name: string): Promise<{ edits: FileEdit[] }> {
  const doc = await expected(known);
  const version = doc.version;
  const edit = await vscode.commands.executeCommand<vscode.WorkspaceEdit | undefined>("vscode.executeDocumentRenameProvider", doc.uri, toPosition(at), name);
  if (doc.version !== version) throw stale(`${known.path} changed meanwhile`);
  if (!edit || edit.size === 0) throw unsupported(`the extensions of VS Code cannot rename the symbol at that position in ${known.path}`);
  return { edits: fromWorkspaceEdit(edit) };
}

export async function symbols(known: Known): Promise<{ symbols: Symbol[] }> {
  const doc = await expected(known);
  const found = await vscode.commands.executeCommand<(vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined>("vscode.executeDocumentSymbolProvider", doc.uri);
  if (!found) throw unsupported(`VS Code has no symbols for ${doc.languageId}`);
  const all: Symbol[] = [];
  const add = (list: (vscode.DocumentSymbol | vscode.SymbolInformation)[], container: string, depth: number) => {
    for (const symbol of list) {
      if (all.length === maxItems) return;
      if ("children" in symbol) {
        all.push({ ...about(symbol, container), path: known.path, range: fromRange(symbol.range), selection: fromRange(symbol.selectionRange) });
        if (depth < maxDepth) add(symbol.children, container === "" ? symbol.name : `${container}.${symbol.name}`, depth + 1);
      } else {
        all.push({ ...about(symbol, symbol.containerName), path: known.path, range: fromRange(symbol.location.range), selection: fromRange(symbol.location.range) });
      }
    }
  };
  add(found, "", 0);
  return { symbols: all };
}

export async function workspaceSymbols(query: string): Promise<{ symbols: Symbol[] }> {
  const found = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>("vscode.executeWorkspaceSymbolProvider", query);
  return {
    symbols: (found ?? []).slice(0, maxItems).flatMap((symbol) => {
      const path = pathOf(symbol.location.uri);
      if (path === undefined) return [];
      const range = fromRange(symbol.location.range);
      // Only here, the extension for TypeScript adds parentheses to the names of functions.
      return [{ ...about({ ...symbol, name: symbol.name.replace(/\(\)$/, "") }, symbol.containerName), path, range, selection: range }];
    }),
  };
}

const about = (symbol: { name: string; kind: vscode.SymbolKind }, container: string | undefined) => ({
  name: symbol.name.slice(0, 1000),
  kind: (vscode.SymbolKind[symbol.kind] ?? "variable").toLowerCase(),
  container: container?.slice(0, 1000) || undefined,
});
