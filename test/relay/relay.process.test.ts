import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { relayFiles } from "../../src/relay/relay-files.ts";
import { newIdentity } from "../../src/relay/seal.ts";
import { numbers, pipesTo, TwoHomes, untilTold } from "../world/two-homes.ts";

let homes: TwoHomes;
beforeEach(() => {
  homes = new TwoHomes();
});
afterEach(() => homes.remove());

test("an event of another machine is told here, with that machine's name", async () => {
  homes.receive();
  await homes.ask("Claude needs your permission to use Bash");
  await untilTold(homes, ["Claude needs your permission to use Bash"]);
  expect(homes.told()[0]).toMatchObject({
    title: "shop@devbox · Claude Code needs you",
    project: "shop",
    cwd: "/home/ann/shop",
    sessionId: "Claude needs your permission to use Bash",
  });
  expect(homes.deskJournal().map(({ status, host }) => [status, host])).toEqual([
    ["accepted", "devbox"],
    ["sent", "devbox"],
  ]);
  expect(homes.deskJournal()[0]?.id).toMatch(/^r_[\w-]{43}$/);
});

test("what comes while nobody fetches waits, and comes once", async () => {
  for (const words of numbers(4)) await homes.ask(words);
  await homes.until(() => homes.outbox().length === 4);
  homes.receive();
  await untilTold(homes, numbers(4));
});

test("a route may be for some machines", async () => {
  homes.configureDesk([{ via: pipesTo(homes.edge), host: "ci-7" }], {
    routes: [
      { hosts: ["localhost"], to: ["desk"] },
      { hosts: ["ci-*"], kinds: ["failed"], to: ["desk"] },
    ],
  });
  homes.receive();
  await homes.ask("not for me");
  await homes.fire("StopFailure", { error: "rate_limit", session_id: "two" });
  await homes.until(() => homes.deskJournal().some(({ status }) => status === "sent"));
  expect(homes.deskJournal().map(({ kind, status, reason }) => [kind, status, reason])).toEqual(
    expect.arrayContaining([
      ["needs-you", "skipped", "no route matches"],
      ["failed", "sent", undefined],
    ]),
  );
});

describe("what becomes of an event travels:", () => {
  const request = { notification_type: "permission_prompt", message: "May I?" };
  const ends = () => homes.deskJournal().filter(({ status }) => status === "resolved");

  test("the person's prompt there ends the request here", async () => {
    homes.receive();
    await homes.fire("Notification", request);
    await untilTold(homes, ["May I?"]);
    await homes.fire("UserPromptSubmit", { prompt: "secret words" });
    await homes.until(() => ends().length > 0);
    expect(ends()).toMatchObject([{ host: "devbox", resolvedBy: "prompt" }]);
  });

  test("what is over before it comes rings nobody", async () => {
    await homes.fire("Notification", request);
    await homes.until(() => homes.outbox().length === 1);
    await homes.fire("UserPromptSubmit", {});
    await homes.until(() => homes.outbox().length === 2);
    homes.receive();
    await homes.until(() => homes.outbox().length === 0);
    await homes.until(() => homes.deskJournal().some(({ status }) => status === "skipped"));
    expect(homes.deskJournal().at(-1)).toMatchObject({ reason: "it is over: the person typed a prompt" });
    expect(homes.told()).toEqual([]);
  });

  test("what is seen here is over there", async () => {
    homes.receive();
    await homes.fire("Notification", request);
    await untilTold(homes, ["May I?"]);
    const { stdout } = await homes.beckon(homes.desk, "seen");
    expect(stdout).toMatch(/^seen: shop · claude/);
    await homes.until(() => homes.edgeJournal().some(({ resolvedBy }) => resolvedBy === "seen"));
  });
});

test("texts that are sealed for this machine are read here, and by nobody on the way", async () => {
  const { identity, recipient } = await newIdentity();
  await homes.remove();
  homes = new TwoHomes({ relay: { identity } }, { seal: recipient });
  homes.configureDesk([{ via: pipesTo(homes.edge), host: "devbox" }], { relay: { identity } });
  await homes.ask("the canary sings");
  await homes.until(() => homes.outbox().length === 1);
  const { outbox } = relayFiles(homes.edge.paths);
  const sent = readFileSync(join(outbox, homes.outbox()[0] ?? ""), "utf8");
  expect(sent).toContain("io.beckon.agent.needs-you.v1");
  expect(sent).not.toMatch(/canary|shop/);
  homes.receive();
  await untilTold(homes, ["the canary sings"]);
});

test("what is sealed for another key is rejected, kept, and told in the journal", async () => {
  const [mine, other] = [await newIdentity(), await newIdentity()];
  await homes.remove();
  homes = new TwoHomes({ relay: { identity: mine.identity } }, { seal: other.recipient });
  homes.receive();
  await homes.ask("not for me");
  await homes.until(() => homes.deskJournal().length > 0);
  expect(homes.deskJournal()).toMatchObject([
    { status: "rejected", host: "devbox", reason: "relay.sealed: it is sealed for another key than `relay.identity`" },
  ]);
  await homes.until(() => homes.outbox().length === 0);
  expect(homes.desk.spooled()).toHaveLength(1);
});
