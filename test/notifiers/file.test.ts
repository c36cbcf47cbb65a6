import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { file } from "../../src/notifiers/file.ts";
import { useFolder } from "../world/fresh-folder.ts";
import { localCall } from "../world/local-call.ts";

const at = useFolder();
let path: string;
beforeEach(() => {
  path = at("deep", "events.jsonl");
});

const write = (message = {}, more: object = {}) =>
  file.send(localCall(file.settings.parse({ path, ...more }), {}, message));
const lines = (name = path) =>
  readFileSync(name, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

describe("the file", () => {
  test("is created, private, with a line for each event", async () => {
    await write({ id: "one" });
    await write({ id: "two" });
    expect(lines().map(({ data }) => data.id)).toEqual(["one", "two"]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(at("deep")).mode & 0o777).toBe(0o700);
  });

  test("is rotated at its size, and the configured number of old files is kept", async () => {
    for (let index = 0; index < 12; index += 1) {
      await write({ id: `e${index}`, body: "x".repeat(300) }, { maxMegabytes: 0.0015, kept: 2 });
    }
    const names = readdirSync(at("deep")).sort();
    expect(names).toEqual(["events.jsonl", "events.jsonl.1", "events.jsonl.2"]);
    const ids = [`${path}.2`, `${path}.1`, path].flatMap((name) => lines(name).map(({ data }) => data.id));
    expect(ids.at(-1)).toBe("e11");
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a.slice(1)) - Number(b.slice(1))));
    for (const name of names) expect(statSync(at("deep", name)).size).toBeLessThanOrEqual(1_500);
  });

  test("keeps its content, including a torn line", async () => {
    mkdirSync(at("deep"));
    writeFileSync(path, '{"mine":1}\n');
    await write();
    expect(lines()[0]).toEqual({ mine: 1 });
  });

  test.each([
    ["a folder", () => mkdirSync(path, { recursive: true })],
    ["a link", () => symlinkSync(at("elsewhere"), path)],
    ["a FIFO without a reader", () => execFileSync("mkfifo", [path])],
  ])("must not be %s", async (_, make) => {
    mkdirSync(at("deep"));
    make();
    await expect(write()).rejects.toMatchObject({ name: "DeliveryError", reason: "rejected" });
    expect(existsSync(at("elsewhere"))).toBe(false);
  });

  test("takes any text as one line", async () => {
    const text = fc.string({ unit: "binary" });
    await fc.assert(
      fc.asyncProperty(text, text, async (title, body) => {
        await write({ title, body });
        const { data } = lines().at(-1);
        expect({ title: data.title, body: data.body }).toEqual(JSON.parse(JSON.stringify({ title, body })));
      }),
      { numRuns: 50 },
    );
  });

  test("may have a path that begins with ~/, but not a relative path", () => {
    expect(file.settings.safeParse({ path: "~/events.jsonl" }).success).toBe(true);
    expect(file.settings.safeParse({ path: "events.jsonl" }).success).toBe(false);
  });
});
