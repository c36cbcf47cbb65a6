import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, type Home, type RunOptions, repository } from "../world/home.ts";
import { fireSamples, type Sample, type Way } from "./fire-samples.ts";
import { reviewed, summaries } from "./summaries.ts";

const folder = join(repository, "test", "fixtures", "payloads");
const versions = readdirSync(folder).filter((folder) => folder !== "transcripts");

/** Meaning of an agent's own event. It is repeated here, because the test must not ask the code. */
type Meaning = { readonly event: string; readonly kind: string; readonly entrypoint: string };
const asked: Meaning = { event: "Notification", kind: "needs-you", entrypoint: "notification" };
const done: Meaning = { event: "Stop", kind: "finished", entrypoint: "stop" };
const failed: Meaning = { ...done, kind: "failed" };
const ended: Meaning = { event: "SessionEnd", kind: "info", entrypoint: "session-end" };
const prompt: Meaning = { event: "Prompt", kind: "info", entrypoint: "prompt" };
const meanings: Readonly<Record<string, Meaning>> = {
  ...{ Notification: asked, PermissionRequest: asked },
  ...{ Stop: done, AfterAgent: done, notify: done, agentStop: done },
  ...{ StopFailure: failed, ErrorOccurred: failed, errorOccurred: failed },
  SubagentStop: { event: "SubagentStop", kind: "info", entrypoint: "subagent-stop" },
  ...{ SessionEnd: ended, sessionEnd: ended },
  ...{ UserPromptSubmit: prompt, BeforeAgent: prompt },
};

/** Kinds of the samples whose kind depends on the payload and not on the event's name. */
const exceptions: Readonly<Record<string, string>> = {
  "Notification-auth": "info",
  "AfterAgent-interrupted": "failed",
  "AfterAgent-api-error": "failed",
  // The StopFailure rings instead.
  "grok/Notification-error": "info",
};

/**
 * Reasons for skipping or postponing a sample that its payload alone shows. All others except prompts end without a
 * matching route.
 */
const skipped: Readonly<Record<string, RegExp>> = {
  "claude/Stop-background": /background/,
  "claude/SubagentStop-compact": /compaction/,
  "claude/UserPromptSubmit-task-notification": /^it begins like an agent's own prompt/,
  "codex/UserPromptSubmit-subagent": /^a sub-agent's task/,
  "copilot/UserPromptSubmit-report": /^it begins like an agent's own prompt/,
  "copilot/UserPromptSubmit-subagent": /^a sub-agent's task/,
  "droid/UserPromptSubmit-subagent": /^it begins like an agent's own prompt/,
  "droid/UserPromptSubmit-subagent-report": /^a report/,
  "grok/UserPromptSubmit-report": /^it begins like an agent's own prompt/,
  "grok/UserPromptSubmit-subagent": /^a sub-agent's task/,
  "grok/UserPromptSubmit-subagent-report": /^it begins like an agent's own prompt/,
  "qwen/UserPromptSubmit-after-tool": /^a prompt without a text/,
  "qwen-0.15.10/UserPromptSubmit-after-tool": /^a prompt without a text/,
  "claude/Notification-idle": /^no turn has begun in this session$/,
  "claude-2.1.197/Notification-idle": /^no turn has begun in this session$/,
  "claude-2.1.197/SubagentStop-compact": /compaction/,
  "codex/notify-subagent": /sub-agent/,
  "codex/notify-title": /title/,
  "codex/notify-title-of-failed-turn": /title/,
  "copilot/Notification-permission": /decide it on its own|^no route matches$/,
  "copilot/ErrorOccurred-bad-request": /try again/,
  "copilot/ErrorOccurred-server-error": /try again/,
  "copilot/errorOccurred-own-name": /try again/,
  "kimi/StopFailure-bad-request": /try again/,
  "droid/Notification-interrupted": /user stopped/,
  "grok/Notification-idle": /^no turn has begun in this session$/,
  "grok/Stop-shutdown": /shutting down/,
  "grok/Stop-shutdown-headless": /shutting down/,
  "qwen/Notification-idle": /waiting after/,
  "qwen/Notification-interrupted": /waiting after/,
  "qwen/PermissionRequest-subagent": /decide it on its own|^no route matches$/,
  "qwen-0.15.10/Notification-idle": /waiting after/,
  "qwen-0.15.10/Notification-interrupted": /waiting after/,
};

/** Finds the expected summary of a sample; null for no summary. */
function findSummary(version: string, name: string, nativeEvent: string): string | undefined | null {
  if (meanings[nativeEvent] === undefined) return null;
  if (["SessionEnd", "Prompt"].includes(meanings[nativeEvent].event)) return undefined;
  const key = [`${version}/${name}`, name].find((found) => Object.hasOwn(summaries, found));
  if (key === undefined) throw new Error(`${version}/${name} has no expected summary`);
  return summaries[key];
}

interface Captured extends Sample {
  readonly expected: object;
}

function listSamples(version: string): Captured[] {
  const agent = version.replace(/-[\d.]+$/, "");
  return readdirSync(join(folder, version)).map((file) => {
    const name = file.replace(/\.json$/, "");
    const nativeEvent = name.split("-")[0] ?? "";
    const payload = readFileSync(join(folder, version, file), "utf8");
    const fields = JSON.parse(payload) as Record<string, string>;
    const session = fields["session_id"] ?? fields["sessionId"] ?? fields["conversation_id"] ?? fields["thread-id"];
    if (!session) throw new Error(`${version}/${name} has no session`);
    const meaning = meanings[nativeEvent] ?? { event: nativeEvent, kind: "info", entrypoint: "notification" };
    // No Stop of its session came in the previous 30 s. Codex gives no other reason for any session end.
    const isAbnormal = nativeEvent === "SessionEnd" && fields["reason"] === "other" && version !== "codex";
    const kind = exceptions[`${version}/${name}`] ?? exceptions[name] ?? (isAbnormal ? "failed" : meaning.kind);
    const why = skipped[`${version}/${name}`] ?? (meaning.event === "Prompt" ? undefined : /^no route matches$/);
    const summary = findSummary(version, name, nativeEvent);
    return {
      ...{ name, agent, nativeEvent, entrypoint: meaning.entrypoint, payload, session },
      expected: {
        result: { exitCode: 0, stderr: "", stdout: agent === "droid" ? '{"suppressOutput":true}' : "" },
        accepted: {
          ...{ agent, kind, event: meaning.event, sessionId: `${session}-${name}`, project: "shop" },
          ...(summary !== null && { summary }),
        },
        reason: why && expect.stringMatching(why),
      },
    };
  });
}

const rows = versions.flatMap((version) => (["launcher", "entrypoint"] as const).map((way) => [version, way] as const));

test.each(rows)("every payload captured from %s has the expected meaning through the %s", async (version, way: Way) => {
  const samples = listSamples(version);
  const fired = await fireSamples(way, samples);
  expect(fired).toMatchObject(Object.fromEntries(samples.map(({ name, expected }) => [name, expected])));
});

describe("a payload in the last argument, as Codex passes it to its notify program,", () => {
  let home: Home;
  beforeAll(() => {
    home = createHome();
    home.writeConfig({ notifiers: {}, delivery: { linger: "30s" } });
  });
  afterAll(() => home.remove());
  const json = readFileSync(join(folder, "codex", "notify.json"), "utf8");

  const passed = {
    launcher: (text: string, options?: RunOptions) => home.launch(["Stop", "--agent", "codex", text], "", options),
    entrypoint: (text: string, options?: RunOptions) => home.enter("stop", ["--agent", "codex", text], "", options),
  };

  test.each(Object.entries(passed))("is accepted from the %s", async (way, fire) => {
    const thread = (JSON.parse(json) as Record<string, string>)["thread-id"] ?? "";
    const sessionId = `thread-${way}`;
    await fire(json.replaceAll(thread, sessionId));
    const journal = await home.until((lines) => lines.some((line) => line.sessionId === sessionId));
    const line = journal.find((found) => found.sessionId === sessionId);
    expect(line).toMatchObject({ event: "Stop", kind: "finished", agent: "codex", project: "shop", summary: reviewed });
  });

  test.each(Object.entries(passed))("is dropped by the %s while beckon is switched off", async (_, fire) => {
    await home.until((lines) => lines.filter(({ status }) => status === "skipped").length === 2);
    const before = home.journal().length;
    expect(await fire(json, { env: { BECKON_DISABLE: "1" } })).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    await home.until(() => home.spooled().length === 0);
    expect(home.journal()).toHaveLength(before);
  });
});
