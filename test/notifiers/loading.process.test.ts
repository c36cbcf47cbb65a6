import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { compiledWorker, createHome, type Home, run } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

let home: Home;
let receiver: Receiver;
beforeEach(async () => {
  home = createHome();
  receiver = await startReceiver();
});
afterEach(async () => {
  await home.remove();
  await receiver.close();
});

/** What V8 has seen running: https://nodejs.org/docs/latest-v20.x/api/cli.html#node_v8_coveragedir */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/** Names of the worker's parts that ran, each a function in `main.cjs` or a file beside it, without their hashes. */
function partsThatRan(folder: string): readonly string[] {
  const [file = ""] = readdirSync(folder);
  const { result }: Coverage = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const scripts = result.filter(({ url }) => url.includes("/chunks/worker/"));
  const functions = scripts.flatMap((script) => script.functions).filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
  return [...scripts.map(({ url }) => url), ...functions.map(({ functionName }) => functionName)].flatMap((name) => {
    const [, part] = /\/([^/]+)-[A-Z0-9]{8}\.cjs$/.exec(name) ?? [];
    return part === undefined ? [] : [part];
  });
}

test("a worker loads only what it needs: the configured notifier, schemas of what the file has, few of Node's modules", async () => {
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "0s" } });
  rmSync(join(home.paths.app, compiledWorker), { force: true }); // V8 is to say what runs
  const coverage = mkdtempSync(join(home.paths.root, "coverage-"));
  writeFileSync(
    join(home.paths.spool, "new", "one.json"),
    '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"s"}\n{"end":0}\n',
  );
  const [tell, told] = ["tell.cjs", "told.json"].map((name) => join(home.paths.root, name)) as [string, string];
  const telling = `writeFileSync(${JSON.stringify(told)}, JSON.stringify(process.moduleLoadList))`;
  writeFileSync(tell, `const { writeFileSync } = require("node:fs"); process.on("exit", () => ${telling});`);
  const env = { ...home.env, NODE_V8_COVERAGE: coverage };
  await run(process.execPath, ["--require", tell, home.paths.worker], "", { env });
  expect(receiver.accepted).toHaveLength(1);
  const parts = partsThatRan(coverage);
  const others = Object.keys(notifierLoaders).filter((name) => name !== "webhook");
  expect(parts).toContain("webhook");
  expect(parts.filter((name) => others.includes(name))).toEqual([]);
  expect(parts).not.toContain("nodemailer");
  expect(parts.filter((name) => name.endsWith("-table"))).toEqual(["delivery-table"]);
  const modules: readonly string[] = JSON.parse(readFileSync(told, "utf8"));
  expect(modules).toContain("NativeModule http");
  for (const slow of ["child_process", "fs/promises", "https", "perf_hooks"]) {
    expect(modules).not.toContain(`NativeModule ${slow}`);
  }
});
