import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Metafile } from "esbuild";
import { expect, test } from "vitest";
import { bundledPackages, noticesFor } from "../../scripts/notices.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { dist } from "../world/home.ts";

test("dist/ has the licence of each package, and finally of node-notifier's programs", () => {
  const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8")
    .split(/^={80}\n\n/m)
    .slice(1);
  expect(notices.filter((notice) => !/copyright|licen[cs]e/i.test(notice.replace(/^Licence: .*/m, "")))).toEqual([]);
  expect(notices.find((notice) => notice.startsWith("echarts "))).toMatch(/Apache License[\s\S]*Mike Bostock/);
  expect(notices.find((notice) => notice.startsWith("growly "))).toContain("Copyright (C) 2014 Ibrahim Al-Rajhi");
  expect(notices.at(-1)).toMatch(/Paralint[\s\S]*GNU LESSER GENERAL PUBLIC[\s\S]*GNU GENERAL PUBLIC/); // Notifu, SnoreToast
});

/** Makes the part of a bundle's metafile that has the bytes of each input. */
function makeMetafile(inputs: Readonly<Record<string, number>>): Metafile {
  const entries = Object.entries(inputs).map(([path, bytesInOutput]) => [path, { bytesInOutput }]);
  const output = { bytes: 1, inputs: Object.fromEntries(entries), imports: [], exports: [] };
  return { inputs: {}, outputs: { "dist/cli.js": output } };
}

test("a package counts as bundled by its innermost folder, if its bytes are in the output", () => {
  const inputs = {
    "src/cli/main.ts": 9,
    "node_modules/zod/index.js": 9,
    "node_modules/zod/deep/x.js": 9,
    "node_modules/@nats-io/kv/lib/a.js": 9,
    "node_modules/a/node_modules/b/c.js": 9,
    "node_modules/shaken/index.js": 0,
  };
  expect(bundledPackages([makeMetafile(inputs), makeMetafile({})])).toEqual([
    "node_modules/@nats-io/kv",
    "node_modules/a/node_modules/b",
    "node_modules/zod",
  ]);
});

test("a bundled package without a licence text fails the build, unless its README ends with one", () => {
  const root = freshFolder();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, "node_modules", path)), { recursive: true });
    writeFileSync(join(root, "node_modules", path), text);
  };
  write("../packaging/licences/COPYING", "GPL");
  for (const folder of ["", "notifu/", "snoreToast/"]) write(`node-notifier/vendor/${folder}LICENSE`, "Vendor's");
  write("bare/package.json", '{"name":"bare","version":"1.0.0","license":"MIT"}');
  const notices = () => noticesFor(root, ["node_modules/bare"]);
  expect(notices).toThrow(/bare has no licence text/);
  write("bare/README.md", "# Bare\n\n## License\n\nMIT\n");
  expect(notices).toThrow(/bare has no licence text/);
  write("bare/README.md", "# Bare\n\n## License ##\n\nCopyright Bare\n\nPermission is granted.\n");
  expect(notices()).toContain("bare 1.0.0\nLicence: MIT\n\nCopyright Bare\n\nPermission is granted.\n");
  write("bare/NOTICE", "Made by Bare");
  write("bare/LICENSE.txt", "Copyright Bare\r\nAll rights");
  write("bare/licenses/LICENSE-inner", "Copyright Inner");
  const texts = ["Copyright Bare\nAll rights", "Made by Bare", "Copyright Inner"].join("\n\n");
  expect(notices()).toContain(`bare 1.0.0\nLicence: MIT\n\n${texts}\n`);
});
