import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JournalLine } from "../../src/pipeline/journal.ts";
import { createHome, type Home, type RunOptions, repository } from "../helpers/home.ts";
import { reviewed, summaries } from "./summaries.ts";

const samples = join(repository, "test", "fixtures", "payloads");
const versions = readdirSync(samples).filter((folder) => folder !== "transcripts");

/** What a firing's name means, written down here a second time and on purpose: the test must not ask the code. */
const meanings: Readonly<Record<string, { event: string; kind: string; entrypoint: string }>> = {
  Notification: { event: "Notification", kind: "needs-you", entrypoint: "notification" },
  PermissionRequest: { event: "Notification", kind: "needs-you", entrypoint: "notification" },
  Stop: { event: "Stop", kind: "finished", entrypoint: "stop" },
  AfterAgent: { event: "Stop", kind: "finished", entrypoint: "stop" },
  notify: { event: "Stop", kind: "finished", entrypoint: "stop" },
  StopFailure: { event: "Stop", kind: "failed", entrypoint: "stop" },
  SubagentStop: { event: "SubagentStop", kind: "info", entrypoint: "subagent-stop" },
  SessionEnd: { event: "SessionEnd", kind: "info", entrypoint: "session-end" },
  ErrorOccurred: { event: "Stop", kind: "failed", entrypoint: "stop" },
  agentStop: { event: "Stop", kind: "finished", entrypoint: "stop" },
  errorOccurred: { event: "Stop", kind: "failed", entrypoint: "stop" },
  sessionEnd: { event: "SessionEnd", kind: "info", entrypoint: "session-end" },
};

/** Samples whose kind the payload decides and not the name. */
const exceptions: Readonly<Record<string, string>> = {
  "Notification-auth": "info",
  "AfterAgent-interrupted": "failed",
  "AfterAgent-api-error": "failed",
  // StopFailure says it.
  "grok/Notification-error": "info",
};

/** Samples that are nobody's end: echoes and sub-agents, told from the payload. */
const skipped: Readonly<Record<string, RegExp>> = {
  "claude/Stop-background": /background/,
  "claude/SubagentStop-compact": /compaction/,
  "claude-2.1.197/SubagentStop-compact": /compaction/,
  "codex/notify-subagent": /sub-agent/,
  "codex/notify-title": /title/,
  "codex/notify-title-of-failed-turn": /title/,
  "droid/Notification-interrupted": /user stopped/,
  "grok/Stop-shutdown": /shutting down/,
  "grok/Stop-shutdown-headless": /shutting down/,
};

/** The summary that a sample of an event people are called for must have; null where there is no such expectation. */
function summaryOf(version: string, name: string, firing: string): string | undefined | null {
  if (meanings[firing] === undefined) return null;
  if (meanings[firing]?.event === "SessionEnd") return undefined;
  const key = [`${version}/${name}`, name].find((one) => Object.hasOwn(summaries, one));
  if (key === undefined) throw new Error(`${version}/${name} has no expected summary`);
  return summaries[key];
}

interface Sample {
  readonly name: string;
  readonly agent: string;
  readonly firing: string;
  readonly entrypoint: string;
  readonly bytes: Buffer;
  readonly expected: Partial<JournalLine>;
  readonly summary: string | undefined | null;
}

function samplesOf(version: string): Sample[] {
  const agent = version.replace(/-[\d.]+$/, "");
  return readdirSync(join(samples, version)).map((file) => {
    const name = file.replace(/\.json$/, "");
    const firing = name.split("-")[0] ?? "";
    const bytes = readFileSync(join(samples, version, file));
    const payload = JSON.parse(bytes.toString()) as Record<string, string>;
    const meaning = meanings[firing] ?? { event: firing, kind: "info", entrypoint: "notification" };
    // Every sample stands alone here: no Stop of its session came in the half minute before.
    // Codex gives no other reason, whatever ends a session.
    const abnormal = firing === "SessionEnd" && payload["reason"] === "other" && version !== "codex";
    const kind = exceptions[`${version}/${name}`] ?? exceptions[name] ?? (abnormal ? "failed" : meaning.kind);
    const sessionId =
      payload["session_id"] ?? payload["sessionId"] ?? payload["conversation_id"] ?? payload["thread-id"] ?? "";
    return {
      name: `${version}/${name}`,
      agent,
      firing,
      entrypoint: meaning.entrypoint,
      bytes,
      expected: { agent, kind, event: meaning.event, sessionId, project: "shop" },
      summary: summaryOf(version, name, firing),
    };
  });
}

const ways = {
  launcher: (home: Home, { firing, agent, bytes }: Sample) => home.launch([firing, "--agent", agent], bytes),
  entrypoint: (home: Home, { entrypoint, agent, bytes }: Sample) => home.enter(entrypoint, ["--agent", agent], bytes),
};

describe.each(Object.entries(ways))("through the %s", (_, fire) => {
  describe.each(versions)("%s", (version) => {
    let home: Home;
    beforeAll(() => {
      home = createHome();
      home.writeConfig({ notifiers: {}, delivery: { lingerSeconds: 30 } });
    });
    afterAll(() => home.remove());

    test.each(samplesOf(version).map((sample) => [sample.name, sample] as const))("%s", async (name, sample) => {
      const before = home.journal().length;
      const result = await fire(home, sample);
      expect(result).toMatchObject({
        exitCode: 0,
        stderr: "",
        stdout: sample.agent === "droid" ? '{"suppressOutput":true}' : "",
      });
      const mine = (lines: JournalLine[]) => lines.slice(before);
      const lines = mine(await home.until((journal) => mine(journal).some(({ status }) => status === "skipped")));
      const [accepted, end] = lines;
      const { kind, ...identity } = sample.expected;
      expect(accepted).toMatchObject({ ...identity, status: "accepted" });
      expect(accepted?.kind).toBe(kind);
      if (sample.summary !== null) expect(accepted?.summary).toBe(sample.summary);
      if (skipped[name]) expect(end?.reason).toMatch(skipped[name]);
    });
  });
});

describe("a payload that is the last argument, as Codex passes it to its notify program", () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.writeConfig({ notifiers: {}, delivery: { lingerSeconds: 30 } });
  });
  afterAll(() => home.remove());
  const json = readFileSync(join(samples, "codex", "notify.json"), "utf8");

  const passed = {
    launcher: (text: string, options?: RunOptions) => home.launch(["Stop", "--agent", "codex", text], "", options),
    entrypoint: (text: string, options?: RunOptions) => home.enter("stop", ["--agent", "codex", text], "", options),
  };

  test.each(Object.entries(passed))("is taken by the %s", async (way, fire) => {
    const thread = (JSON.parse(json) as Record<string, string>)["thread-id"] ?? "";
    const sessionId = `thread-${way}`;
    await fire(json.replaceAll(thread, sessionId));
    const journal = await home.until((lines) => lines.some((line) => line.sessionId === sessionId));
    const line = journal.find((one) => one.sessionId === sessionId);
    expect(line).toMatchObject({ event: "Stop", kind: "finished", agent: "codex", project: "shop", summary: reviewed });
  });

  test.each(Object.entries(passed))("is left alone by the %s where beckon is switched off", async (_, fire) => {
    await home.until((lines) => lines.filter(({ status }) => status === "skipped").length === 2);
    const before = home.journal().length;
    expect(await fire(json, { env: { BECKON_DISABLE: "1" } })).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    expect(home.spooled()).toEqual([]);
    expect(home.journal()).toHaveLength(before);
  });
});
