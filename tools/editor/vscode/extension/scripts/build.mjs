// Bundles the extension into one file. The same sources give the same bytes, so that a check can compare the result with the
// committed file.
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

await build({
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  entryPoints: ["src/extension.ts"],
  outfile: "dist/extension.js",
  bundle: true,
  platform: "node",
  target: "node16", // that of VS Code 1.80
  format: "cjs",
  external: ["vscode"],
  legalComments: "none",
  charset: "utf8",
});
