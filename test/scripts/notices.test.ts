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

/** Returns a function that writes files below `node_modules` of a root. */
const writer = (root: string) => (path: string, text: string) => {
  mkdirSync(dirname(join(root, "node_modules", path)), { recursive: true });
  writeFileSync(join(root, "node_modules", path), text);
};

test("a package counts as bundled by its innermost folder, if its bytes are in the output, and each version once", () => {
  const root = freshFolder();
  const write = writer(root);
  const manifest = (name: string, version: string) => JSON.stringify({ name, version, license: "MIT" });
  write("zod/package.json", manifest("zod", "4.0.0"));
  write("@nats-io/kv/package.json", manifest("@nats-io/kv", "3.0.0"));
  for (const [holder, version] of Object.entries({ a: "1.0.0", c: "1.0.0", d: "2.0.0" }))
    write(`${holder}/node_modules/b/package.json`, manifest("b", version));
  const inputs = {
    "src/cli/main.ts": 9,
    "node_modules/zod/index.js": 9,
    "node_modules/zod/deep/x.js": 9,
    "node_modules/@nats-io/kv/lib/a.js": 9,
    "node_modules/a/node_modules/b/c.js": 9,
    "node_modules/c/node_modules/b/c.js": 9,
    "node_modules/d/node_modules/b/c.js": 9,
    "node_modules/shaken/index.js": 0,
  };
  expect(bundledPackages(root, [makeMetafile(inputs), makeMetafile({})])).toEqual([
    { folder: "node_modules/@nats-io/kv", name: "@nats-io/kv", version: "3.0.0", license: "MIT" },
    { folder: "node_modules/a/node_modules/b", name: "b", version: "1.0.0", license: "MIT" },
    { folder: "node_modules/d/node_modules/b", name: "b", version: "2.0.0", license: "MIT" },
    { folder: "node_modules/zod", name: "zod", version: "4.0.0", license: "MIT" },
  ]);
});

test("a package without a licence text fails the build, unless its README or a package of its repository has one", () => {
  const root = freshFolder();
  const write = writer(root);
  write("../packaging/licences/COPYING", "GPL");
  for (const folder of ["", "notifu/", "snoreToast/"]) write(`node-notifier/vendor/${folder}LICENSE`, "Vendor's");
  const bare = { folder: "node_modules/bare", name: "bare", version: "1.0.0", license: "MIT" };
  const notices = () => noticesFor(root, [bare]);
  mkdirSync(join(root, bare.folder));
  expect(notices).toThrow(/bare has no licence text/);
  write("sibling/LICENSE", "Copyright Sibling");
  const sibling = { ...bare, folder: "node_modules/sibling", name: "sibling" };
  expect(() => noticesFor(root, [bare, sibling])).toThrow(/bare has no licence text/);
  const both = [bare, sibling].map((each) => ({ ...each, address: "https://example.org/both" }));
  expect(noticesFor(root, both)).toContain("bare 1.0.0\nLicence: MIT\nhttps://example.org/both\n\nCopyright Sibling\n");
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
