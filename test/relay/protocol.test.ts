import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { say } from "../../src/relay/protocol.ts";

test("nothing is thrown where the other side hangs up while it is spoken to", async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error("write EPIPE")) });
  broken.on("error", () => {});
  await say(broken, { ping: 1 });
  expect(broken.writable).toBe(false);
  await say(broken, { ping: 2 });
});
