import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createHome, type Home } from "../world/home.ts";
import { type Receiver, startReceiver } from "../world/receiver.ts";

const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZmdoaWprbG1ub3BxcnN0dXY=";
const stop = (session = "s1", message = "All done: the file was reviewed.") =>
  JSON.stringify({
    hook_event_name: "Stop",
    session_id: session,
    cwd: "/home/dev/shop",
    last_assistant_message: message,
  });

let home: Home;
let receiver: Receiver | undefined;
beforeEach(() => {
  home = createHome();
});
afterEach(async () => {
  await home.remove();
  await receiver?.close();
  receiver = undefined;
});

function configure(url: string, delivery: object = {}): void {
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url, secret } },
    delivery: { linger: "1s", retryDelays: ["300ms"], ...delivery },
  });
}

test("a webhook is signed so that the standardwebhooks package accepts it", async () => {
  receiver = await startReceiver();
  configure(receiver.url);
  await home.launch(["Stop", "--agent", "claude"], stop());
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  const [request] = receiver.received;
  const verified = new Webhook(secret).verify(
    request?.body ?? "",
    request?.headers as Record<string, string>,
  ) as Record<string, unknown>;
  expect(verified).toMatchObject({
    type: "agent.stop",
    data: {
      event: "Stop",
      agent: "claude",
      kind: "finished",
      sessionId: "s1",
      project: "shop",
      cwd: "/home/dev/shop",
      title: expect.stringMatching(/^shop(@\S+)? · Claude Code is done$/),
      body: "All done: the file was reviewed.",
    },
  });
  expect(request?.headers["webhook-id"]).toBe((verified["data"] as { id: string }).id);
});

test("a server that is down, then 500, then 429, then 200 gets the event once, and the journal tells the story", async () => {
  const { url, close } = await startReceiver();
  await close(); // the port is known, and nobody listens
  configure(url);
  await home.launch(["Stop", "--agent", "claude"], stop());
  await home.until((journal) => journal.filter(({ status }) => status === "retrying").length >= 2);
  receiver = await startReceiver(
    [{ status: 500 }, { status: 429, headers: { "retry-after": "2" } }, { status: 200 }],
    Number(new URL(url).port),
  );
  const journal = await home.until((lines) => lines.some(({ status }) => status === "sent"));
  expect(receiver.accepted).toHaveLength(1);
  expect(receiver.received).toHaveLength(3);
  const ids = new Set(receiver.received.map(({ headers }) => headers["webhook-id"]));
  expect(ids.size).toBe(1);
  const [, refused, taken] = receiver.received;
  expect((taken?.atMs ?? 0) - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(1990);
  const story = journal.map(({ status, reason }) =>
    [status, reason?.replace(/127.0.0.1:\d+/, "…")].filter(Boolean).join(" "),
  );
  expect(story[0]).toBe("accepted");
  expect(story[1]).toBe("retrying unavailable: http://… cannot be reached (ECONNREFUSED)");
  expect(story.slice(-3)).toEqual([
    "retrying unavailable: http://… answered 500",
    "retrying rate-limited: http://… answered 429",
    "sent",
  ]);
  expect(home.spooled()).toEqual([]);
});

test("a wait that a receiver asks for holds for its other events too, and for the next worker", async () => {
  receiver = await startReceiver([{ status: 429, headers: { "retry-after": "3" } }, { status: 200 }]);
  configure(receiver.url);
  await home.launch(["Stop", "--agent", "claude"], stop("first"));
  await home.until((journal) => journal.some(({ status }) => status === "retrying"));
  await home.killWorker();
  await home.launch(["Stop", "--agent", "claude"], stop("second"));
  await home.until((journal) => journal.filter(({ status }) => status === "sent").length === 2);
  const [refused, ...taken] = receiver.received;
  expect(taken).toHaveLength(2);
  for (const { atMs } of taken) expect(atMs - (refused?.atMs ?? 0)).toBeGreaterThanOrEqual(2990);
});

test("an event that is too late is journalled as expired, not delivered, and becomes a dead letter", async () => {
  const { url, close } = await startReceiver();
  await close();
  configure(url, { expire: { finished: "600ms" } });
  await home.launch(["Stop", "--agent", "claude"], stop());
  const journal = await home.until((lines) => lines.some(({ status }) => status === "expired"));
  expect(journal.at(-1)).toMatchObject({ status: "expired", notifier: "hook" });
  await home.until(() => home.spooled().length === 1);
  expect(home.spooled()[0]).toMatch(/^dead\//);
});

test("a refusal is final and affects no other notifier", async () => {
  receiver = await startReceiver();
  const refusing = await startReceiver([{ status: 401 }]);
  home.writeConfig({
    notifiers: { bad: { type: "webhook", url: refusing.url }, good: { type: "webhook", url: receiver.url } },
    delivery: { linger: "1s" },
  });
  await home.launch(["Stop", "--agent", "claude"], stop());
  await home.until(
    (journal) => journal.some(({ status }) => status === "failed") && journal.some(({ status }) => status === "sent"),
  );
  expect(home.journal().find(({ status }) => status === "failed")).toMatchObject({
    notifier: "bad",
    reason: expect.stringMatching(/^auth: .* answered 401$/),
  });
  expect(refusing.received).toHaveLength(1);
  await refusing.close();
});

test("an invalid notifier disables itself alone", async () => {
  receiver = await startReceiver();
  home.writeConfig({
    notifiers: {
      bad: { type: "webhook", url: 7 },
      odd: { type: "webhok" },
      good: { type: "webhook", url: receiver.url },
    },
    delivery: { linger: "1s" },
  });
  await home.launch(["Stop", "--agent", "claude"], stop());
  const journal = await home.until((lines) =>
    lines.some(({ status, notifier }) => status === "sent" && notifier === "good"),
  );
  expect(journal.filter(({ id }) => id === "config").map(({ reason }) => reason)).toEqual([
    "notifiers.bad.url (line 1): must be an http(s) URL.",
    "notifiers.odd.type (line 1): no such notifier. Did you mean `webhook`?",
  ]);
});

test("a changed configuration counts for the next event, without a new worker", async () => {
  receiver = await startReceiver();
  home.writeConfig({ notifiers: {}, delivery: { linger: "10s" } });
  await home.launch(["Stop", "--agent", "claude"], stop("first"));
  await home.until((journal) => journal.some(({ status }) => status === "skipped"));
  const worker = home.workerPid();
  configure(receiver.url, { linger: "10s" });
  await home.launch(["Stop", "--agent", "claude"], stop("second"));
  await home.until((journal) => journal.some(({ status }) => status === "sent"));
  expect(home.workerPid()).toBe(worker);
});

test("no secret gets into the journal, the spool or an error", async () => {
  const canary = "canary-7f3a9c";
  const { url, close } = await startReceiver();
  await close();
  writeFileSync(join(home.paths.root, "secret"), `${secret}\n`, { mode: 0o600 });
  home.writeConfig({
    notifiers: {
      hook: {
        type: "webhook",
        url: `${url}?key=${canary}`,
        secret: `\${file:${join(home.paths.root, "secret")}}`,
        headers: { "x-key": "${env:CANARY}" },
      },
    },
    delivery: { linger: "1s", retryDelays: ["300ms"] },
  });
  await home.launch(["Stop", "--agent", "claude"], stop(), { env: { CANARY: `${canary}-env` } });
  await home.until((journal) => journal.filter(({ status }) => status === "retrying").length >= 2);
  await home.killWorker();
  const everything = [
    JSON.stringify(home.journal()),
    ...home.spooled().map((file) => readFileSync(join(home.paths.spool, file), "utf8")),
  ].join("\n");
  expect(everything).not.toContain(canary);
  expect(everything).not.toContain(secret.slice(6));
});

test("an idle prompt right after a Stop, a repeat, and the second end of a session are journalled and not delivered", async () => {
  receiver = await startReceiver();
  configure(receiver.url);
  home.writeConfig({
    notifiers: { hook: { type: "webhook", url: receiver.url } },
    routes: [{ to: ["hook"] }],
    delivery: { linger: "2s" },
  });
  const fire = (event: string, rest: object) =>
    home.launch(
      [event, "--agent", "qwen"],
      JSON.stringify({ hook_event_name: event, session_id: "s1", cwd: "/home/dev/shop", ...rest }),
    );
  await fire("Stop", {});
  await fire("Stop", {});
  await fire("Notification", { notification_type: "idle_prompt", message: "Qwen Code is waiting for your input" });
  await fire("Notification", { notification_type: "permission_prompt", message: "needs your permission" });
  await fire("SessionEnd", { reason: "other" });
  await fire("SessionEnd", { reason: "other" });
  const journal = await home.until(
    (lines) =>
      lines.filter(({ status }) => status === "sent").length === 3 &&
      lines.filter(({ status }) => status === "skipped").length === 3,
  );
  expect(
    journal.filter(({ status }) => status === "skipped").map(({ event, reason }) => `${event}: ${reason}`),
  ).toEqual([
    "Stop: a repeat within two seconds",
    "Notification: Qwen waiting after every turn",
    "SessionEnd: a repeat within two seconds",
  ]);
  expect(journal.find(({ status, event }) => status === "sent" && event === "SessionEnd")?.kind).toBe("info");
});
