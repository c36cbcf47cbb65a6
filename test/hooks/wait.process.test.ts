import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
  home.writeConfig({ notifiers: {} });
});
afterEach(() => home.remove());

const ways = {
  launcher: (args: readonly string[], input: string) => home.launch(["Stop", ...args], input),
  entrypoint: (args: readonly string[], input: string) => home.enter("stop", args, input),
};

const rows: readonly (readonly [args: readonly string[], wait: number | undefined])[] = [
  [["--wait", "3"], 3],
  [["--wait", "007"], 7],
  [[], undefined],
  [["--wait", "0"], undefined],
  [["--wait", "000"], undefined],
  [["--wait", "soon"], undefined],
  [["--wait", ""], undefined],
];

/** The headers of the records in the spool, which are kept because their payloads are no JSON. */
function headers(): { readonly agent: string; readonly wait?: number }[] {
  return home
    .spooled()
    .filter((file) => file.startsWith("dead/"))
    .map((file) => JSON.parse(readFileSync(join(home.paths.spool, file), "utf8").split("\n")[0] ?? ""));
}

test.each(["launcher", "entrypoint"] as const)(
  "the %s notes in the record how long it waits, if it does",
  async (way) => {
    const fired = rows.map(([args], index) => ways[way](["--agent", `row${index}`, ...args], "no JSON"));
    for (const result of await Promise.all(fired))
      expect(result).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    await home.until(() => headers().length === rows.length);
    const noted = Object.fromEntries(headers().map(({ agent, wait }) => [agent, wait]));
    expect(noted).toEqual(Object.fromEntries(rows.map(([, wait], index) => [`row${index}`, wait])));
  },
);
