// Prints the uses of the functions of a directory as the compiler of TypeScript resolves them.
//
//	node typescript.cjs <directory of the package typescript> <directory>
const [, , compiler, dir] = process.argv;
const ts = require(compiler);
const fs = require("fs");
const path = require("path");

const names = [];
(function walk(at) {
  for (const entry of fs.readdirSync(at, { withFileTypes: true })) {
    const name = path.join(at, entry.name);
    if (entry.isDirectory()) walk(name);
    else if (/\.[cm]?[jt]sx?$/.test(entry.name)) names.push(name);
  }
})(dir);
const program = ts.createProgram(names, {
  allowJs: true, checkJs: false, strict: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler, types: [], jsx: ts.JsxEmit.Preserve, maxNodeModuleJsDepth: 0,
});
const checker = program.getTypeChecker();
const own = new Set(names);

const offsetOf = (file, at) => Buffer.byteLength(file.text.slice(0, at)) + (Buffer.byteLength(fs.readFileSync(file.fileName)) - Buffer.byteLength(file.text));
const lineOf = (file, at) => file.getLineAndCharacterOfPosition(at).line + 1;
const relative = (file) => path.relative(dir, file.fileName).split(path.sep).join("/");

const functions = new Map();
const add = (node, name) => {
  const file = name.getSourceFile();
  if (!own.has(file.fileName)) return;
  functions.set(name, { path: relative(file), name: name.text, offset: offsetOf(file, name.getStart()), resolved: [], possible: [] });
};
const visitAll = (visit) => {
  for (const file of program.getSourceFiles()) {
    if (!own.has(file.fileName)) continue;
    (function each(node) {
      visit(node, file);
      ts.forEachChild(node, each);
    })(file);
  }
};
const isFunction = (node) => node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));
visitAll((node) => {
  if ((ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isMethodSignature(node)) && node.name && ts.isIdentifier(node.name)) add(node, node.name);
  else if ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && ts.isIdentifier(node.name) && isFunction(node.initializer)) add(node, node.name);
});
const byName = new Map();
for (const [name, f] of functions) byName.set(name.text, [...(byName.get(name.text) ?? []), [name, f]]);

// Bases of a class, with the class.
const known = new Map();
const basesOf = (type) => {
  if (!known.has(type)) known.set(type, collect(type, new Set()));
  return known.get(type);
};
const collect = (type, seen) => {
  if (!type || seen.has(type.symbol)) return seen;
  seen.add(type.symbol);
  for (const declaration of type.symbol?.declarations ?? []) {
    for (const clause of declaration.heritageClauses ?? []) for (const t of clause.types) collect(checker.getTypeAtLocation(t), seen);
  }
  return seen;
};
visitAll((node, file) => {
  if (!ts.isIdentifier(node) || functions.has(node)) return; // imports can rename a function
  if (ts.findAncestor(node, (n) => ts.isImportDeclaration(n) || ts.isExportDeclaration(n) || ts.isExportAssignment(n))) return;
  let symbol = checker.getSymbolAtLocation(node);
  if (ts.isShorthandPropertyAssignment(node.parent)) symbol = checker.getShorthandAssignmentValueSymbol(node.parent);
  if (!symbol) return;
  if (symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  const at = { path: relative(file), line: lineOf(file, node.getStart()) };
  for (const declaration of symbol.declarations ?? []) {
    if (declaration.name === node) continue;
    functions.get(declaration.name)?.resolved.push(at);
    const parent = declaration.parent;
    if (!parent) continue;
    if (!(ts.isClassLike(parent) || ts.isInterfaceDeclaration(parent)) || node.parent.expression?.kind === ts.SyntaxKind.SuperKeyword) continue;
    for (const [name, f] of byName.get(node.text) ?? []) {
      const owner = name.parent.parent;
      if (!owner) continue;
      if (owner === parent || !(ts.isClassLike(owner) || ts.isInterfaceDeclaration(owner)) || !owner.symbol) continue;
      if (basesOf(checker.getTypeAtLocation(owner)).has(parent.symbol)) f.possible.push(at);
    }
  }
});
console.log(JSON.stringify({ files: names.map((name) => path.relative(dir, name).split(path.sep).join("/")), functions: [...functions.values()] }));
