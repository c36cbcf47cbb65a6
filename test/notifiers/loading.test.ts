import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { notifierLoaders } from "../../src/notifiers/registry.ts";
import { createHome, type Home, run } from "../helpers/home.ts";
import { type Receiver, startReceiver } from "../helpers/receiver.ts";

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

/** Hooks that note every module a process loads. */
const hooks = (log: string): string => `
  import { appendFileSync } from "node:fs";
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(log)}, url + "\\n");
    return next(url, context);
  }`;

test("a worker loads only the configured notifier, and no mailer", async () => {
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "0s" } });
  const log = join(home.paths.root, "loaded");
  const register = join(home.paths.root, "register.mjs");
  writeFileSync(join(home.paths.root, "hooks.mjs"), hooks(log));
  writeFileSync(register, 'import { register } from "node:module"; register("./hooks.mjs", import.meta.url);');
  writeFileSync(
    join(home.paths.spool, "new", "one.json"),
    '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"s"}\n{"end":0}\n',
  );
  await run(process.execPath, ["--import", register, home.paths.worker], "", { env: home.env });
  expect(receiver.accepted).toHaveLength(1);
  expect(existsSync(log)).toBe(true);
  const chunks = [...readFileSync(log, "utf8").matchAll(/chunks\/worker\/(.+)-[A-Z0-9]+\.js$/gm)].map(
    ([, name]) => name,
  );
  const others = Object.keys(notifierLoaders).filter((name) => name !== "webhook");
  expect(chunks).toContain("webhook");
  expect(chunks.filter((name) => others.includes(name ?? ""))).toEqual([]);
  expect(chunks).not.toContain("nodemailer");
});
