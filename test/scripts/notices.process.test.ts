import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { program } from "../../scripts/build-options.ts";
import { dist, repository } from "../world/home.ts";

/** Lists the packages of a bundle's inputs. */
function packageNames(paths: readonly string[]): readonly string[] {
  const names = paths.map((path) => /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

const noticed = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8")
  .split(/^={80}\n\n/m)
  .slice(1, -1)
  .map((notice) => notice.split(" ", 1)[0]);

test("the notices name exactly the packages bundled in the programs", async () => {
  const programs = ["cli/main", "set-up", "worker", "start-worker", "io/node-notifier-child"];
  const hooks = readdirSync(join(repository, "hooks")).filter((file) => file.endsWith(".ts"));
  const { metafile } = await build({
    ...program,
    entryPoints: [...programs.map((name) => `src/${name}.ts`), ...hooks.map((file) => `hooks/${file}`)],
    format: "esm",
    outdir: "dist",
    external: ["./worker-main.cjs"],
    write: false,
  });
  const inputs = Object.values(metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const bundled = packageNames(inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path));
  expect(bundled.length).toBeGreaterThan(40);
  expect([...new Set(noticed)].sort()).toEqual(bundled);
});
