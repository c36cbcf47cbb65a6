import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { freshHome } from "../world/fresh-home.ts";
import { repository } from "../world/home.ts";
import { callHook, expectMeanings, type Sample } from "./fire-samples.ts";
import { ways } from "./stop-hook.ts";

const folder = join(repository, "test", "fixtures", "documented-payloads");

type Expected = Sample["meaning"] & { readonly skip?: RegExp };

const asked: Expected = { event: "Notification", kind: "needs-you" };
const notice = (summary?: string): Expected => ({ ...asked, ...(summary && { summary }) });
const background = (summary: string): Expected => ({ ...notice(summary), kind: "info" });
const done: Expected = { event: "Stop", kind: "finished" };
const failed = (summary?: string): Expected => ({ event: "Stop", kind: "failed", ...(summary && { summary }) });
const stopped: Expected = { ...done, skip: /^the user stopped the agent$/ };
const subagent = (summary?: string): Expected => ({ event: "SubagentStop", kind: "info", ...(summary && { summary }) });
const ended: Expected = { event: "SessionEnd", kind: "info" };
const endedBadly = (summary?: string): Expected => ({ ...ended, kind: "failed", ...(summary && { summary }) });

const forms = "The login page has two forms.";
const modelError = "Model call failed: 503";
const retried = (message: string): Expected => ({ ...failed(message), skip: /^the agent may try again$/ });

/** Matches the reasons of events that are postponed, unless the worker's first scan comes half a second later. */
const mayDecide = /decide it on its own|^no route matches$/;

/** Agent, session and meaning of each payload. The text before a dash is the registered event. */
const agents: Readonly<Record<string, { session: string; payloads: Readonly<Record<string, Expected>> }>> = {
  kimi: {
    session: "session_7f3a",
    payloads: {
      PermissionRequest: notice("Bash: npm test"),
      Stop: done,
      StopFailure: retried("Too many requests, try again later."),
      SubagentStop: subagent(forms),
      SessionEnd: ended,
      "SessionEnd-archive": ended,
      Interrupt: { event: "Interrupt", kind: "info" },
      "Notification-task": background("npm test ended"),
    },
  },
  copilot: {
    session: "0f4c2b1e-7a54-4b0e-9f3c-2f9b8f1f7a11",
    payloads: {
      "notification-permission": { ...notice("Copilot needs permission to run: npm test"), skip: mayDecide },
      "notification-question": notice("Which colour should the button have?"),
      "notification-shell": background("npm test finished"),
      "notification-agent": background("explore finished"),
      "notification-idle": background("explore is waiting"),
      Stop: done,
      agentStop: done,
      SubagentStop: subagent(forms),
      "subagentStop-own-name": subagent(forms),
      ErrorOccurred: failed(modelError),
      "ErrorOccurred-recoverable": retried(modelError),
      "errorOccurred-own-name": failed(modelError),
      SessionEnd: ended,
      "SessionEnd-error": endedBadly(),
      "sessionEnd-own-name": ended,
    },
  },
  cursor: {
    session: "668320d2-2fd8-4888-b33c-2a466fec86e7",
    payloads: {
      stop: done,
      "stop-error": failed(),
      "stop-aborted": stopped,
      subagentStop: subagent(),
      sessionEnd: ended,
      "sessionEnd-error": endedBadly("The model could not be reached"),
    },
  },
  grok: {
    session: "abc-123",
    payloads: {
      Notification: notice(),
      Stop: done,
      StopFailure: failed(),
      SubagentStop: subagent(),
      SessionEnd: ended,
    },
  },
  auggie: {
    session: "conv-xyz789",
    payloads: {
      Notification: notice("May I run npm test?"),
      Stop: done,
      "Stop-error": failed(),
      "Stop-interrupted": stopped,
      SessionEnd: ended,
    },
  },
};

function findSample(agent: string, name: string): Sample {
  const { session = "", payloads = {} } = agents[agent] ?? {};
  const { skip = /^no route matches$/, event = "", kind = "", summary } = payloads[name] ?? {};
  const payload = readFileSync(join(folder, agent, `${name}.json`), "utf8");
  const nativeEvent = name.split("-")[0] ?? "";
  return { name, agent, nativeEvent, payload, session, meaning: { event, kind, summary }, reason: skip };
}

test("the table has exactly the payloads in each agent's folder", () => {
  const folders = readdirSync(folder).filter((name) => name !== "README.md");
  expect(folders.sort()).toEqual(Object.keys(agents).sort());
  for (const agent of folders) {
    const files = readdirSync(join(folder, agent)).map((file) => file.replace(/\.json$/, ""));
    expect(files.sort()).toEqual(Object.keys(agents[agent]?.payloads ?? {}).sort());
  }
});

const lent = [
  ["cursor", "stop", "claude"],
  ["copilot", "Stop", "claude"],
  ["grok", "Stop", "claude"],
  ["grok", "SessionEnd", "cursor"],
] as const;
describe.each(ways)("through the %s", (way) => {
  test.each(Object.keys(agents))("every documented payload of %s has the expected meaning", async (agent) => {
    const names = Object.keys(agents[agent]?.payloads ?? {});
    await expectMeanings(
      way,
      names.map((name) => findSample(agent, name)),
    );
  });

  test.each(lent)("%s running its %s hook from the settings of %s too rings once", async (agent, name, lender) => {
    const sample = findSample(agent, name);
    const home = freshHome({ notifiers: {} });
    const { event } = sample.meaning;
    for (const fired of [sample, { ...sample, agent: lender, nativeEvent: event }]) {
      const before = home.journal().length;
      await callHook[way](home, fired, sample.payload);
      await home.until((journal) => journal.slice(before).some(({ status }) => status === "skipped"));
    }
    const accepted = { agent, event, sessionId: sample.session, status: "accepted" };
    expect(home.journal()).toMatchObject([
      accepted,
      { status: "skipped", reason: "no route matches" },
      accepted,
      { status: "skipped", reason: "a repeat within two seconds" },
    ]);
  });
});
