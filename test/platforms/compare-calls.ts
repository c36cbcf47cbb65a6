import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { repository } from "../world/home.ts";
import type { CheckResult } from "./inside/result.ts";

/** Fails a result whose calls differ from the platform's fixture, or writes the fixture. */
export function compareCalls(name: string, { calls, ...result }: CheckResult, update: boolean): CheckResult {
  if (!calls) return result;
  const fixture = join(repository, "test", "fixtures", "platforms", `${name}.json`);
  const text = `${JSON.stringify(calls, null, 2)}\n`;
  if (update) {
    mkdirSync(dirname(fixture), { recursive: true });
    writeFileSync(fixture, text);
  }
  const expected = existsSync(fixture) ? readFileSync(fixture, "utf8") : "";
  const note = `${calls.length} calls of ${[...new Set(calls.map(({ program }) => program))].join(", ")}`;
  if (text === expected) return { ...result, note };
  return { ...result, failure: `not as in ${fixture} (--update rewrites it):\n${text}` };
}
