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

/** Notes every file a process loads. */
const notesLoaded = (log: string): string => `
  const { appendFileSync } = require("node:fs");
  const compile = require("node:module").prototype._compile;
  require("node:module").prototype._compile = function (content, file) {
    appendFileSync(${JSON.stringify(log)}, file + "\\n");
    return compile.call(this, content, file);
  };`;

test("a worker loads only the configured notifier, and no mailer", async () => {
  home.writeConfig({ notifiers: { hook: { type: "webhook", url: receiver.url } }, delivery: { linger: "0s" } });
  const log = join(home.paths.root, "loaded");
  const note = join(home.paths.root, "note.cjs");
  writeFileSync(note, notesLoaded(log));
  writeFileSync(
    join(home.paths.spool, "new", "one.json"),
    '{"v":1,"event":"Stop","agent":"claude"}\n{"hook_event_name":"Stop","session_id":"s"}\n{"end":0}\n',
  );
  await run(process.execPath, ["--require", note, home.paths.worker], "", { env: home.env });
  expect(receiver.accepted).toHaveLength(1);
  expect(existsSync(log)).toBe(true);
  const chunks = [...readFileSync(log, "utf8").matchAll(/chunks\/worker\/(.+)-[A-Z0-9]+\.cjs$/gm)].map(
    ([, name]) => name,
  );
  const others = Object.keys(notifierLoaders).filter((name) => name !== "webhook");
  expect(chunks).toContain("webhook");
  expect(chunks.filter((name) => others.includes(name ?? ""))).toEqual([]);
  expect(chunks).not.toContain("nodemailer");
});
