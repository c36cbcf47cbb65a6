import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { program } from "../../scripts/build-options.ts";
import { bundledPackages, noticesFor } from "../../scripts/notices.ts";
import { freshFolder } from "../world/fresh-folder.ts";
import { dist, repository } from "../world/home.ts";

const notices = readFileSync(join(dist, "THIRD-PARTY-NOTICES"), "utf8")
  .split(/^={80}\n\n/m)
  .slice(1);

test("dist/ has the licence of each package, and finally of node-notifier's programs", () => {
  expect(notices.filter((notice) => !/copyright|licen[cs]e/i.test(notice.replace(/^Licence: .*/m, "")))).toEqual([]);
  expect(notices.find((notice) => notice.startsWith("echarts "))).toMatch(/Apache License[\s\S]*Mike Bostock/);
  expect(notices.find((notice) => notice.startsWith("growly "))).toContain("Copyright (C) 2014 Ibrahim Al-Rajhi");
  expect(notices.at(-1)).toMatch(/Paralint[\s\S]*GNU LESSER GENERAL PUBLIC[\s\S]*GNU GENERAL PUBLIC/); // Notifu, SnoreToast
});

test("bom.cdx.json lists the packages of the notices, each once, in the form of CycloneDX 1.6", () => {
  const noticed = notices.slice(0, -1).map((notice) => /^(\S+) (\S+)\nLicence: (.*)\n/.exec(notice)?.slice(1) ?? []);
  const { components, metadata, ...head } = JSON.parse(readFileSync(join(dist, "bom.cdx.json"), "utf8"));
  expect(head).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6", version: 1 });
  const describe = (type: string, [name = "", version = "", expression]: readonly (string | undefined)[]) => {
    const purl = `pkg:npm/${name.replace(/^@/, "%40")}@${version}`;
    return { type, "bom-ref": purl, name, version, purl, licenses: [{ expression }] };
  };
  expect(metadata).toEqual({ component: describe("application", ["beckon", manifest.version, "MIT"]) });
  expect(components).toEqual(noticed.map((fields) => describe("library", fields)));
  expect(new Set(noticed.map(String)).size).toBe(noticed.length);
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
  const versions = { "@nats-io/kv": "3.0.0", "a/node_modules/b": "1.0.0", "d/node_modules/b": "2.0.0", zod: "4.0.0" };
  const packages = Object.entries(versions).map(([path, version]) => {
    return { folder: `node_modules/${path}`, name: path.replace(/^.\/node_modules\//, ""), version };
  });
  for (const { folder, ...manifest } of [...packages, { ...packages[1], folder: "node_modules/c/node_modules/b" }])
    writer(root)(`../${folder}/package.json`, JSON.stringify(manifest));
  const files = ["@nats-io/kv/lib/a.js", "a/node_modules/b/c.js", "c/node_modules/b/c.js", "d/node_modules/b/c.js"];
  const inputs = ["src/cli/main.ts", ...[...files, "zod/index.js", "zod/x/y.js"].map((file) => `node_modules/${file}`)];
  const bytes = Object.fromEntries(inputs.map((file) => [file, 9]));
  const metafiles = [makeMetafile({ ...bytes, "node_modules/shaken/index.js": 0 }), makeMetafile({})];
  expect(bundledPackages(root, metafiles)).toEqual(packages);
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
  expect(notices.slice(0, -1).map((notice) => notice.split("\n", 1)[0])).toEqual(bundled);
});
