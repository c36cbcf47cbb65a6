import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, test } from "vitest";
import { freshFolder } from "../world/fresh-folder.ts";

test("eight processes write two hundred lines each, and none is torn", async () => {
  const root = freshFolder();
  const writer = join(root, "writer.cjs");
  const folder = join(root, "journal");
  const program = `
    import { openJournal } from "./journal.ts";
    const [folder, name] = process.argv.slice(2);
    const journal = openJournal(folder, Date.now);
    const reason = name.repeat(400);
    for (let attempt = 0; attempt < 200; attempt += 1) journal.write({ id: name, status: "failed", reason, attempt });
  `;
  const stdin = {
    contents: program,
    resolveDir: join(import.meta.dirname, "../../src/journal"),
    loader: "ts",
  } as const;
  buildSync({ stdin, bundle: true, platform: "node", format: "cjs", outfile: writer });
  const names = [..."abcdefgh"];
  const children = names.map((name) => spawn(process.execPath, [writer, folder, name], { stdio: "inherit" }));
  const codes = await Promise.all(children.map(async (child) => (await once(child, "exit"))[0] as number));
  expect(codes).toEqual(names.map(() => 0));
  // An empty line may come first, as a starting writer ends a line that looks torn.
  const texts = readdirSync(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  const lines = texts.flatMap((text) => text.split(/\n+/).slice(0, -1));
  expect(lines).toHaveLength(1600);
  const attempts = new Map(names.map((name) => [name, [] as number[]]));
  for (const line of lines) {
    const { id, reason, attempt } = JSON.parse(line) as { id: string; reason: string; attempt: number };
    expect(reason).toBe(id.repeat(400));
    attempts.get(id)?.push(attempt);
  }
  for (const seen of attempts.values()) expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index));
});
