// Runs the tests. Each is bundled with a fake of the module of VS Code.
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url)).replace(/[\\/]$/, "");
const tests = readdirSync(`${root}/test`).filter((name) => name.endsWith(".test.ts"));
rmSync(`${root}/out/test`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: tests.map((name) => `test/${name}`),
  outdir: "out/test",
  bundle: true,
  platform: "node",
  target: "node18",
  format: "cjs",
  sourcemap: "inline",
  alias: { vscode: `${root}/test/vscode.ts` },
});
const files = tests.map((name) => `out/test/${name.replace(/\.ts$/, ".js")}`);
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=spec", ...files], { cwd: root, stdio: "inherit" });
process.exit(status ?? 1);
