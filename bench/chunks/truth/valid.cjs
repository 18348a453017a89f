// Prints for each line of the input, a JSON list of a language and a text, whether the compiler of TypeScript reads the text without a syntax error.
//
//	node valid.cjs <directory of the package typescript>
const ts = require(process.argv[2]);
const kinds = { typescript: ["f.ts", ts.ScriptKind.TS], tsx: ["f.tsx", ts.ScriptKind.TSX], javascript: ["f.jsx", ts.ScriptKind.JSX] };
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [language, text] = JSON.parse(line);
  const [name, kind] = kinds[language];
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, false, kind);
  console.log(file.parseDiagnostics.length === 0);
});
