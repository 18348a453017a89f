// Prints the declarations that Scalameta finds, as JSON lines. The argument is the
// directory of the package scalameta-parsers.
'use strict';
const fs = require('fs');
const { parseSource } = require(process.argv[2]);

// The first dialect that takes a file is its own: what Scala 3 dropped (procedure
// syntax, XML) is tried first.
const dialects = ['Scala211', 'Scala213', 'Scala3'];

const kinds = {
  'Defn.Def': 'function', 'Decl.Def': 'function', 'Defn.Macro': 'function', 'Ctor.Secondary': 'initializer',
  'Defn.Class': 'type', 'Defn.Trait': 'type', 'Defn.Object': 'type', 'Defn.Enum': 'type', 'Pkg.Object': 'type',
  'Defn.Type': 'type', 'Decl.Type': 'type', 'Defn.Given': 'type', 'Defn.ExtensionGroup': 'type',
};

function parse(text) {
  for (const dialect of dialects) {
    const tree = parseSource(text, { dialect });
    if (!tree.error) return tree;
  }
  return null;
}

// bound says that a value is a function: (x) => …, { x => … }, { case … }.
function bound(value) {
  if (!value) return false;
  if (value.type === 'Term.Block' && value.stats.length === 1) value = value.stats[0];
  return value.type === 'Term.Function' || value.type === 'Term.PartialFunction';
}

function kindOf(node) {
  if (node.type === 'Defn.Val' || node.type === 'Defn.Var') {
    const value = node.rhs || node.body;
    return node.pats.length === 1 && node.pats[0].type === 'Pat.Var' && bound(value) ? 'lambda' : null;
  }
  return kinds[node.type];
}

function visit(node, found) {
  if (Array.isArray(node)) {
    for (const child of node) visit(child, found);
  } else if (node && typeof node === 'object') {
    const kind = kindOf(node);
    if (kind) found(kind, (node.name || (node.pats && node.pats[0].name) || {}).value || '', node.pos);
    for (const key in node) if (key !== 'pos') visit(node[key], found);
  }
}

const out = [];
for (const file of fs.readFileSync(0, 'utf8').split('\n')) {
  if (!file) continue;
  const text = fs.readFileSync(file, 'utf8');
  const tree = parse(text);
  if (!tree) {
    out.push(JSON.stringify({ file, error: true }));
    continue;
  }
  const feeds = [];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) feeds.push(at);
  const line = (at) => {
    let low = 0, high = feeds.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (feeds[middle] < at) low = middle + 1; else high = middle;
    }
    return low + 1;
  };
  visit(tree, (kind, name, pos) => {
    out.push(JSON.stringify({ file, kind, name, start: line(pos.start), end: line(Math.max(pos.start, pos.end - 1)) }));
  });
}
fs.writeSync(1, out.join('\n') + '\n');
