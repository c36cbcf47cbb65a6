import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JournalLine } from "../../src/pipeline/journal.ts";
import { createHome, type Home, repository } from "../helpers/home.ts";

const samples = join(repository, "test", "fixtures", "documented-payloads");

type Expected = Pick<JournalLine, "event" | "kind" | "summary"> & { readonly skip?: RegExp };

const notice = (summary?: string): Expected => ({
  event: "Notification",
  kind: "needs-you",
  ...(summary && { summary }),
});
const background = (summary: string): Expected => ({ ...notice(summary), kind: "info" });
const done: Expected = { event: "Stop", kind: "finished" };
const failed = (summary?: string): Expected => ({ event: "Stop", kind: "failed", ...(summary && { summary }) });
const stopped: Expected = { ...done, skip: /^the user stopped the agent$/ };
const subagent = (summary?: string): Expected => ({ event: "SubagentStop", kind: "info", ...(summary && { summary }) });
const ended: Expected = { event: "SessionEnd", kind: "info" };
const endedBadly = (summary?: string): Expected => ({ ...ended, kind: "failed", ...(summary && { summary }) });

const forms = "The login page has two forms.";
const modelError = "Model call failed: 503";

/** The agent, its session, and what each of its payloads means. The text before a dash is the event that is registered. */
const agents: Readonly<Record<string, { session: string; payloads: Readonly<Record<string, Expected>> }>> = {
  kimi: {
    session: "session_7f3a",
    payloads: {
      PermissionRequest: notice("Wants to use Bash: npm test"),
      Stop: done,
      StopFailure: failed("Too many requests, try again later."),
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
      "notification-permission": notice("Copilot needs permission to run: npm test"),
      "notification-question": notice("Which colour should the button have?"),
      "notification-shell": background("npm test finished"),
      "notification-agent": background("explore finished"),
      "notification-idle": background("explore is waiting"),
      Stop: done,
      agentStop: done,
      SubagentStop: subagent(forms),
      "subagentStop-own-name": subagent(forms),
      ErrorOccurred: failed(modelError),
      "ErrorOccurred-recoverable": failed(modelError),
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

/** Which of the four entrypoints runs for an event: there is no launcher on Windows. */
const entrypoints: Readonly<Record<string, string>> = {
  Notification: "notification",
  Stop: "stop",
  SubagentStop: "subagent-stop",
  SessionEnd: "session-end",
  Interrupt: "notification",
};

const replies: Readonly<Record<string, string>> = { cursor: "{}" };

test("each payload is in the table, and each agent's folder", () => {
  const folders = readdirSync(samples).filter((name) => name !== "README.md");
  expect(folders.sort()).toEqual(Object.keys(agents).sort());
  for (const agent of folders) {
    const files = readdirSync(join(samples, agent)).map((file) => file.replace(/\.json$/, ""));
    expect(files.sort()).toEqual(Object.keys(agents[agent]?.payloads ?? {}).sort());
  }
});

describe.each(["launcher", "entrypoint"] as const)("through the %s", (way) => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.writeConfig({ notifiers: {}, delivery: { lingerSeconds: 30 } });
  });
  afterAll(() => home.remove());

  const fire = async (args: { agent: string; firing: string; event: string; bytes: Buffer; cwd?: string }) => {
    const before = home.journal().length;
    const { agent, firing, event, bytes } = args;
    const options = { cwd: home.paths.root };
    const result =
      way === "launcher"
        ? await home.launch([firing, "--agent", agent], bytes, options)
        : await home.enter(entrypoints[event] ?? "", ["--agent", agent], bytes, options);
    const mine = (lines: JournalLine[]) => lines.slice(before);
    const lines = mine(await home.until((journal) => mine(journal).some(({ status }) => status === "skipped")));
    return { result, accepted: lines[0], end: lines[1] };
  };

  describe.each(Object.entries(agents))("%s", (agent, { session, payloads }) => {
    test.each(Object.entries(payloads))("%s", async (name, { skip, ...expected }) => {
      const bytes = readFileSync(join(samples, agent, `${name}.json`));
      // Every sample stands alone: another session each time, or the next would repeat the last.
      const sessionId = `${session}-${name}`;
      const payload = Buffer.from(bytes.toString().replaceAll(session, sessionId));
      const firing = name.split("-")[0] ?? "";
      const fired = await fire({ agent, firing, event: expected.event ?? "", bytes: payload });
      expect(fired.result).toMatchObject({ exitCode: 0, stderr: "", stdout: replies[agent] ?? "" });
      const { summary, ...rest } = expected;
      expect(fired.accepted).toMatchObject({ agent, ...rest, sessionId, project: "shop", status: "accepted" });
      expect(fired.accepted?.summary).toBe(summary);
      expect(fired.end?.reason).toMatch(skip ?? /^no route matches$/);
    });
  });

  test.each([
    ["cursor", "stop", "claude"],
    ["copilot", "Stop", "claude"],
    ["grok", "Stop", "claude"],
    ["grok", "SessionEnd", "cursor"],
  ])(
    "%s running its %s hook out of the settings of %s's is not taken for that agent, and is told once",
    async (...of) => {
      const [agent, name, label] = of;
      const session = agents[agent]?.session ?? "";
      const again = `${session}-twice-${label}-${name}`;
      const sample = readFileSync(join(samples, agent, `${name}.json`), "utf8");
      const bytes = Buffer.from(sample.replaceAll(session, again));
      const { event = "" } = agents[agent]?.payloads[name] ?? {};
      const own = await fire({ agent, firing: name, event, bytes });
      const second = await fire({ agent: label, firing: event, event, bytes });
      expect([own.accepted, second.accepted]).toMatchObject([
        { agent, event, sessionId: again },
        { agent, event, sessionId: again },
      ]);
      expect(own.end?.reason).toBe("no route matches");
      expect(second.end?.reason).toBe("a repeat within two seconds");
    },
  );
});
