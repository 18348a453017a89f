// Prints the declarations of files as the TypeScript compiler parses them.
//
//	node typescript.mjs <directory of the npm package typescript> < paths
//
// A declaration goes from its first decorator or modifier to its last character.
// What counts is what package script says that it finds; the conditions here are
// written in terms of the compiler's syntax tree.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ts = createRequire(import.meta.url)(join(process.argv[2], "lib", "typescript.js"));
const K = ts.SyntaxKind;
const out = [];
const wrappers = ["memo", "forwardRef", "lazy", "useCallback", "debounce", "throttle", "once", "memoize", "wrap", "curry", "promisify", "$constructor"];
const others = ["useMemo", "useState", "useRef", "useReducer", "setTimeout", "setInterval", "setImmediate", "requestAnimationFrame", "requestIdleCallback"];

for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  if (source.parseDiagnostics.length > 0) {
    out.push(JSON.stringify({ file, error: true }));
    continue;
  }
  visit(source, source, file);
}
process.stdout.write(out.join("\n") + "\n");

function visit(node, source, file) {
  const emit = (kind, name, from = node, to = node) => {
    const line = (position) => source.getLineAndCharacterOfPosition(position).line + 1;
    out.push(JSON.stringify({ file, kind, name: String(name), start: line(from.getStart(source)), end: line(to.end - 1) }));
  };
  const name = node.name && node.name.getText ? node.name.getText(source) : "default";
  switch (node.kind) {
    case K.FunctionDeclaration:
      emit("function", name);
      break;
    case K.ClassDeclaration:
      emit("class", name);
      break;
    case K.FunctionExpression:
      if (node.name && !bound(node)) emit("function", name);
      break;
    case K.ClassExpression:
      if (node.name && !bound(node)) emit("class", name);
      break;
    case K.MethodDeclaration:
      emit("method", name);
      break;
    case K.Constructor:
      emit("initializer", "constructor");
      break;
    case K.GetAccessor:
    case K.SetAccessor:
      if (node.parent.kind !== K.TypeLiteral || declares(node.parent)) emit("accessor", name);
      break;
    case K.MethodSignature:
      if (declares(node.parent)) emit("method", name);
      break;
    case K.PropertySignature:
      if (declares(node.parent)) emit("property", name);
      break;
    case K.InterfaceDeclaration:
      emit("interface", name);
      break;
    case K.TypeAliasDeclaration:
      emit("typeAlias", name);
      break;
    case K.EnumDeclaration:
      emit("enum", name);
      break;
    case K.EnumMember:
      emit("enumCase", name);
      break;
    case K.ModuleDeclaration: // a.b.c is one
      if (node.parent.kind !== K.ModuleDeclaration) emit("module", name);
      break;
    case K.Parameter:
      if (node.parent.kind === K.Constructor && ts.isParameterPropertyDeclaration(node, node.parent)) emit("property", name);
      break;
    case K.PropertyDeclaration:
      emit(kindOf(node.initializer, false) ?? wrapped(node.initializer) ?? "property", name);
      break;
    case K.PropertyAssignment: {
      const kind = kindOf(node.initializer, false);
      if (kind) emit(kind, name);
      break;
    }
    case K.ExportAssignment: {
      const kind = node.isExportEquals ? undefined : kindOf(node.expression, true);
      if (kind) emit(kind, "default");
      break;
    }
    case K.VariableDeclaration:
      variable(node, source, emit);
      break;
    case K.ExpressionStatement:
      assignment(node, source, emit);
      break;
  }
  ts.forEachChild(node, (child) => visit(child, source, file));
}

// The first of several variables begins where its statement does, the last ends
// where that ends.
function variable(node, source, emit) {
  const list = node.parent;
  if (list.kind !== K.VariableDeclarationList) return; // catch (e)
  const statement = list.parent.kind === K.VariableStatement ? list.parent : undefined;
  const first = list.declarations[0] === node, last = list.declarations.at(-1) === node;
  const from = first ? (statement ?? list) : node, to = last && statement ? statement : node;
  const kind = kindOf(node.initializer, true) ?? wrapped(node.initializer);
  const top = statement && (statement.parent.kind === K.SourceFile || statement.parent.kind === K.ModuleBlock);
  if (node.name.kind === K.Identifier && kind) return emit(kind, node.name.text, from, to);
  if (!top) return;
  const value = list.flags & ts.NodeFlags.Const && !(list.flags & ts.NodeFlags.Let) ? "constant" : "variable";
  names(node.name, (name) => emit(value, name.text, from, to));
}

function names(name, each) {
  if (name.kind === K.Identifier) return each(name);
  for (const element of name.elements) if (element.name) names(element.name, each);
}

// a.b.c = function, as a statement.
function assignment(node, source, emit) {
  let e = node.expression;
  while (e.kind === K.BinaryExpression && e.operatorToken.kind === K.CommaToken) e = e.left;
  if (e.kind !== K.BinaryExpression || e.operatorToken.kind !== K.EqualsToken) return;
  let target = e.left;
  while (target.kind === K.PropertyAccessExpression && !target.questionDotToken) target = target.expression;
  if (![K.Identifier, K.ThisKeyword, K.SuperKeyword].includes(target.kind)) return;
  const kind = kindOf(e.right, true);
  if (kind) emit(kind, e.left.getText(source));
}

// What makes a value a function or a class as a whole.
function kindOf(value, throughAssignment) {
  value = value && strip(value, throughAssignment);
  switch (value?.kind) {
    case K.ArrowFunction:
    case K.FunctionExpression:
      return "lambda";
    case K.ClassExpression:
      return "class";
  }
}

function strip(value, throughAssignment) {
  for (;;) {
    switch (value.kind) {
      case K.ParenthesizedExpression:
      case K.AsExpression:
      case K.SatisfiesExpression:
      case K.NonNullExpression:
      case K.TypeAssertionExpression:
        value = value.expression;
        continue;
      case K.BinaryExpression:
        if (throughAssignment && value.operatorToken.kind === K.EqualsToken) {
          value = value.right;
          continue;
        }
    }
    return value;
  }
}

// wrapped says that a value is a call that returns the function among its first arguments in another form.
function wrapped(value) {
  return value && wrappedFunction(value) ? "lambda" : undefined;
}

function wrappedFunction(value) {
  const call = strip(value, false);
  if (call.kind !== K.CallExpression) return undefined;
  const callee = strip(call.expression, false);
  if (callee !== call.expression) return undefined;
  if (callee.kind === K.PropertyAccessExpression ? !wrappers.includes(callee.name.text) : callee.kind !== K.Identifier || others.includes(callee.text)) return undefined;
  const [first, second] = call.arguments;
  if (!first) return undefined;
  if (kindOf(first, false) === "lambda") return strip(first, false);
  if ([K.StringLiteral, K.NumericLiteral].includes(first.kind)) return second && kindOf(second, false) === "lambda" ? strip(second, false) : undefined;
  return wrappedFunction(first);
}

// bound says that a function or class is the whole value of something with a
// name.
function bound(node) {
  let value = node;
  for (;;) {
    const parent = value.parent;
    switch (parent.kind) {
      case K.ParenthesizedExpression:
      case K.AsExpression:
      case K.SatisfiesExpression:
      case K.NonNullExpression:
      case K.TypeAssertionExpression:
        value = parent;
        continue;
      case K.BinaryExpression: {
        if (parent.operatorToken.kind !== K.EqualsToken || parent.right !== value) return false;
        let statement = parent, target = parent.left;
        while (statement.parent.kind === K.BinaryExpression && statement.parent.operatorToken.kind === K.CommaToken && statement.parent.left === statement) statement = statement.parent;
        while (target.kind === K.PropertyAccessExpression && !target.questionDotToken) target = target.expression;
        if (statement.parent.kind === K.ExpressionStatement && [K.Identifier, K.ThisKeyword].includes(target.kind)) return true;
        value = parent;
        continue;
      }
      case K.CallExpression:
        for (let outer = parent; ; outer = outer.parent) {
          if ([K.VariableDeclaration, K.PropertyDeclaration].includes(outer.kind)) return outer.name.kind === K.Identifier && outer.initializer && wrappedFunction(outer.initializer) === node;
          if (outer.kind !== K.CallExpression && strip(outer, false) === outer) return false;
        }
      case K.VariableDeclaration:
        return parent.name.kind === K.Identifier && parent.initializer === value && parent.parent.kind === K.VariableDeclarationList;
      case K.PropertyDeclaration:
      case K.PropertyAssignment:
        return parent.initializer === value && strip(value, false) === node;
      case K.ExportAssignment:
        return !parent.isExportEquals;
    }
    return false;
  }
}

// declares says that the members of an interface or object type are
// declarations: those of the object types that an alias or a declared property consists of.
function declares(type) {
  if (type.kind === K.InterfaceDeclaration) return true;
  for (let t = type; ; t = t.parent) {
    switch (t.parent.kind) {
      case K.UnionType:
      case K.IntersectionType:
        continue;
      case K.TypeAliasDeclaration:
        return true;
      case K.PropertySignature:
        return t.parent.type === t && declares(t.parent.parent);
    }
    return false;
  }
}
