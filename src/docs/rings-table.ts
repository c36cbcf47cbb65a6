import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { agentNamed } from "../agents/registry.ts";
import { kinds } from "../core/vocabulary.ts";
import { table } from "./markdown.ts";

const ringsSchema = z.record(
  z.string(),
  z.array(z.object({ kind: z.enum(kinds), title: z.string(), body: z.string() })),
);

/**
 * A table of what a person is told in recorded sessions, by agent and kind: each title and text once. The recordings
 * are replayed by `test/worker/rings.test.ts`, which keeps the file that this reads.
 * @param root the repository
 */
export function ringsTable(root: string): string {
  const file = join(root, "test/fixtures/recordings/rings.json");
  const recordings = Object.entries(ringsSchema.parse(JSON.parse(readFileSync(file, "utf8"))));
  const rows = recordings.flatMap(([recording, rings]) => {
    const [name = ""] = recording.split("/");
    const agent = agentNamed(name)?.title ?? name;
    return rings.map(({ kind, title, body }) => ({ kind, cells: [agent, kind, title, body.replaceAll("\n", "<br>")] }));
  });
  const sorted = kinds.flatMap((kind) => rows.filter((row) => row.kind === kind).map(({ cells }) => cells));
  const once = [...new Map(sorted.map((cells) => [cells.join("\n"), cells])).values()];
  const byAgent = once.toSorted(([a = ""], [b = ""]) => a.localeCompare(b, "en"));
  return table(["Agent", "Kind", "Title", "Text"], byAgent);
}
