/**
 * Asks npm's registry for advisories about the packages in `dist/bom.cdx.json`: `npm run advisories`, after a build. In an
 * installed beckon, `npm audit` does not see these packages. Prints what it finds, and fails if an advisory is high or
 * critical. If the registry cannot be asked, says that nothing was checked, and passes.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { groupBy } from "../src/core/group-by.ts";

const text = z.string();
const schema = z.record(text, z.array(z.object({ severity: text, title: text, url: text, vulnerable_versions: text })));
const bill = readFileSync(join(import.meta.dirname, "..", "dist", "bom.cdx.json"), "utf8");
const components: readonly Record<"name" | "version", string>[] = JSON.parse(bill).components;
const byName = [...groupBy(components, ({ name }) => name)];
const versions = Object.fromEntries(byName.map(([name, each]) => [name, each.map(({ version }) => version)]));
const advisories = await askRegistry().catch((error: Error & { readonly cause?: { readonly code?: string } }) => {
  console.log(`The registry's audit could not be reached: ${error.cause?.code ?? error.message}; nothing was checked.`);
});
if (advisories) report(advisories);

/** Sends all names and versions: https://docs.npmjs.com/cli/v11/commands/npm-audit#bulk-advisory-endpoint */
async function askRegistry(): Promise<z.output<typeof schema>> {
  const isWindows = process.platform === "win32";
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8", shell: isWindows }).trim();
  const reply = await fetch(`${registry.replace(/\/+$/, "")}/-/npm/v1/security/advisories/bulk`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(versions),
    signal: AbortSignal.timeout(30_000),
  });
  if (!reply.ok) throw new Error(`it answers ${reply.status}`);
  const { data } = schema.safeParse(await reply.json().catch(() => undefined));
  if (!data) throw new Error("its answer has no advisories");
  return data;
}

function report(advisories: z.output<typeof schema>): void {
  const found = Object.entries(advisories).flatMap(([name, list]) => list.map((each) => ({ name, ...each })));
  console.log(`${byName.length} bundled packages checked, ${found.length} advisories`);
  for (const { name, severity, title, url, vulnerable_versions } of found)
    console.log(`${severity}: ${name} ${vulnerable_versions}; bundled: ${versions[name]?.join(", ")}. ${title} ${url}`);
  if (found.some(({ severity }) => severity === "high" || severity === "critical")) process.exitCode = 1;
}
