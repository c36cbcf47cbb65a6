/** Installs from a clone: `npx tsx install.ts [options]` builds beckon and runs `beckon install` with these options. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

await import("./scripts/build.ts");
const cli = fileURLToPath(new URL("dist/cli.js", import.meta.url));
const { status } = spawnSync(process.execPath, [cli, "install", ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = status ?? 1;
