import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { bundledPackages, noticesFor } from "../../scripts/notices.ts";
import { dist } from "../world/home.ts";
import { sources } from "../world/sources.ts";

/** Packages that the source imports, except types; the generator of documents is not shipped. */
const imported = sources
  .filter(({ file }) => !file.startsWith("src/docs/"))
  .flatMap(({ text }) => [...text.matchAll(/(?:^import (?!type )[^;]*?from |^import |\bimport\()"([^."][^"]*)"/gm)])
  .map(([, name = ""]) => (/^@[^/]+\/[^/]+|^[^/]+/.exec(name)?.[0] ?? name).replace(/^node:.*/, ""))
  .filter((name) => name !== "" && !builtinModules.includes(name));

test("the built notices name every package that the source imports, and hold its licence", () => {
  const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8").split(/^={80}\n\n/m);
  const missing = [...new Set(imported)].filter((name) => !notices.some((notice) => notice.startsWith(`${name} `)));
  expect(missing).toEqual([]);
  expect(imported.length).toBeGreaterThan(10);
  expect(notices.slice(1).filter((notice) => !/copyright|licen[cs]e/i.test(notice))).toEqual([]);
  expect(notices.at(-1)).toMatch(/Paralint[\s\S]*GNU LESSER GENERAL PUBLIC LICENSE/); // Notifu and SnoreToast
});

test("the built notices name every package that a marker in the programs names", () => {
  const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8");
  const programs = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((file) => /\.c?js$/.test(file));
  const marker = /\bnode_modules\/(?:[^"\s]*\/node_modules\/)?((?:@[\w.-]+\/)?[\w.-]+)\/[\w./-]+\.[cm]?js\b/g;
  const named = programs.flatMap((file) =>
    [...readFileSync(join(dist, file), "utf8").matchAll(marker)].map(([, name = ""]) => name),
  );
  expect(named).toContain("cross-spawn"); // comes with execa: no source imports it
  const missing = [...new Set(named)].filter((name) => !new RegExp(`^${name} \\d`, "m").test(notices));
  expect(missing).toEqual([]);
});

/** What esbuild says of a bundle. */
function metafileOf(inputs: Readonly<Record<string, number>>): Metafile {
  const entries = Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]);
  const output = { bytes: 1, inputs: Object.fromEntries(entries), imports: [], exports: [] };
  return { inputs: {}, outputs: { "dist/cli.js": output } };
}

test("a package counts as bundled by its innermost folder, and only if bytes of it are in the output", () => {
  const inputs = {
    "src/cli/main.ts": 9,
    "node_modules/zod/index.js": 9,
    "node_modules/zod/deep/x.js": 9,
    "node_modules/@nats-io/kv/lib/a.js": 9,
    "node_modules/a/node_modules/b/c.js": 9,
    "node_modules/shaken/index.js": 0,
  };
  expect(bundledPackages([metafileOf(inputs), metafileOf({})])).toEqual([
    "node_modules/@nats-io/kv",
    "node_modules/a/node_modules/b",
    "node_modules/zod",
  ]);
});

test("a bundled package without a licence file fails the build", () => {
  const root = mkdtempSync(join(tmpdir(), "beckon-notices-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const folder = join(root, "node_modules", "bare");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"name":"bare","version":"1.0.0","license":"MIT"}');
  expect(() => noticesFor(root, ["node_modules/bare"])).toThrow("bare has no licence file");
  writeFileSync(join(folder, "LICENSE"), "Copyright Bare");
  mkdirSync(join(folder, "licenses"));
  writeFileSync(join(folder, "licenses", "LICENSE-part"), "Copyright Part");
  const notices = noticesFor(root, ["node_modules/bare"]);
  expect(notices).toContain("bare 1.0.0\nLicence: MIT\n\nCopyright Bare\n\nCopyright Part\n");
});
