import { join } from "node:path";
import { expect, test } from "vitest";
import { run } from "../world/home.ts";
import { buildProgram, useSpool } from "../world/spool.ts";

const at = useSpool();

test("an entry is claimed by exactly one of two processes", async () => {
  const program = buildProgram(
    join(at.root, "claimer.cjs"),
    `import { claim } from "./claim.ts";
     const [spool, startAtMs] = process.argv.slice(2);
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.max(0, Number(startAtMs) - Date.now()));
     let mine = "";
     for (let id = 0; id < 200; id += 1) mine += claim(spool, { id: "e" + id, crashes: 0 }) ? "1" : "0";
     process.stdout.write(mine);`,
  );
  for (let id = 0; id < 200; id += 1) at.write(`new/e${id}.json`);
  const startAtMs = String(Date.now() + 400);
  const claimed = await Promise.all([1, 2].map(() => run(process.execPath, [program, at.spool, startAtMs], "")));
  expect(claimed.map(({ exitCode, stderr }) => [exitCode, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  const [first = "", second = ""] = claimed.map(({ stdout }) => stdout);
  for (let id = 0; id < 200; id += 1) expect(`${first[id]}${second[id]}`).toMatch(/^(01|10)$/);
  expect(at.files()).toHaveLength(200);
});
