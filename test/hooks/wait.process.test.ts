import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
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

/** The header of a record, which is kept because its payload is no JSON. */
async function headerAfter(way: keyof typeof ways, args: readonly string[]): Promise<unknown> {
  expect(await ways[way](args, "no JSON")).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
  await home.until(() => home.spooled().some((file) => file.startsWith("dead/")));
  const [record = ""] = home.spooled();
  return JSON.parse(readFileSync(join(home.paths.spool, record), "utf8").split("\n")[0] ?? "");
}

describe.each(["launcher", "entrypoint"] as const)("the %s", (way) => {
  test.each([
    ["3", 3],
    ["007", 7],
  ])("notes in the record that it waits: --wait %s", async (seconds, wait) => {
    expect(await headerAfter(way, ["--agent", "droid2", "--wait", seconds])).toMatchObject({ agent: "droid2", wait });
  });

  test.each([[[]], [["--wait", "0"]], [["--wait", "000"]], [["--wait", "soon"]], [["--wait", ""]]])(
    "notes nothing where it does not wait: %j",
    async (args) => {
      expect(await headerAfter(way, args)).not.toHaveProperty("wait");
    },
  );
});
