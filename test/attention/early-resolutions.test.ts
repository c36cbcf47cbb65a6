import { join } from "node:path";
import { expect, test } from "vitest";
import { EarlyResolutions } from "../../src/attention/early-resolutions.ts";
import { freshFolder } from "../world/fresh-folder.ts";

test("each machine keeps its newest 1,000 early resolutions", () => {
  const file = join(freshFolder(), "early-ends.json");
  const end = (host: string, id: number) => ({ host, id: String(id), state: "resolved", atMs: 1_000 }) as const;
  new EarlyResolutions(file).add([end("quiet", 1)], 1_000);
  new EarlyResolutions(file).add(
    Array.from({ length: 12_000 }, (_, id) => end("loud", id)),
    1_000,
  );
  const ends = new EarlyResolutions(file);
  const isKept = (host: string, id: string) => ends.find(host, id) !== undefined;
  expect([isKept("quiet", "1"), isKept("loud", "11000"), isKept("loud", "10999")]).toEqual([true, true, false]);
});
