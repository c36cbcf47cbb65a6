import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Finds the accessibility faults of a page with axe, with an example of each. A large page takes seconds. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };
  const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.length} × ${nodes[0]?.html}`);
}
