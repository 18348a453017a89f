// Bundles the extension into the one file that is shipped. It is the same for the same sources, so that a check can compare it with
// what is committed.
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
