import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { program } from "../../scripts/build-options.ts";
import { bundledPackages } from "../../scripts/notices.ts";
import { dist, repository } from "../world/home.ts";

const noticed = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8")
  .split(/^={80}\n\n/m)
  .slice(1, -1)
  .map((notice) => notice.split("\n", 1)[0]);

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
  const bundled = bundledPackages(repository, [metafile]).map(({ name, version }) => `${name} ${version}`);
  expect(bundled.length).toBeGreaterThan(40);
  expect(noticed).toEqual(bundled);
});
