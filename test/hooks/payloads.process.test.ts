import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { createHome, repository } from "../world/home.ts";
import { useShared } from "../world/use.ts";
import { expectMeanings, type Sample } from "./fire-samples.ts";
import { callStop, expectSilence, ways } from "./stop-hook.ts";
import { reviewed, summaries } from "./summaries.ts";

const folder = join(repository, "test", "fixtures", "payloads");
const versions = readdirSync(folder).filter((folder) => folder !== "transcripts");

/** Meaning of an agent's own event. It is repeated here, because the test must not ask the code. */
const asked = { event: "Notification", kind: "needs-you" };
const done = { event: "Stop", kind: "finished" };
const failed = { ...done, kind: "failed" };
const ended = { event: "SessionEnd", kind: "info" };
const prompt = { event: "Prompt", kind: "info" };
const meanings: Readonly<Record<string, Sample["meaning"]>> = {
  ...{ Notification: asked, PermissionRequest: asked },
  ...{ Stop: done, AfterAgent: done, notify: done, agentStop: done },
  ...{ StopFailure: failed, ErrorOccurred: failed, errorOccurred: failed },
  SubagentStop: { event: "SubagentStop", kind: "info" },
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

function listSamples(version: string): Sample[] {
  const agent = version.replace(/-[\d.]+$/, "");
  return readdirSync(join(folder, version)).map((file) => {
    const name = file.replace(/\.json$/, "");
    const nativeEvent = name.split("-")[0] ?? "";
    const payload = readFileSync(join(folder, version, file), "utf8");
    const fields = JSON.parse(payload) as Record<string, string>;
    const session = fields["session_id"] ?? fields["sessionId"] ?? fields["conversation_id"] ?? fields["thread-id"];
    if (!session) throw new Error(`${version}/${name} has no session`);
    const meaning = meanings[nativeEvent] ?? { event: nativeEvent, kind: "info" };
    // No Stop of its session came in the previous 30 s. Codex gives no other reason for any session end.
    const isAbnormal = nativeEvent === "SessionEnd" && fields["reason"] === "other" && version !== "codex";
    const kind = exceptions[`${version}/${name}`] ?? exceptions[name] ?? (isAbnormal ? "failed" : meaning.kind);
    const reason = skipped[`${version}/${name}`] ?? (meaning.event === "Prompt" ? undefined : /^no route matches$/);
    const summary = findSummary(version, name, nativeEvent);
    const expected = { event: meaning.event, kind, ...(summary !== null && { summary }) };
    return { name, agent, nativeEvent, payload, session, meaning: expected, reason };
  });
}

describe.each(ways)("through the %s", (way) => {
  test.each(versions)("every payload captured from %s has the expected meaning", async (version) => {
    await expectMeanings(way, listSamples(version));
  });
});

describe("a payload in the last argument, as Codex passes it to its notify program,", () => {
  const home = useShared("remove", createHome);
  beforeAll(() => home.writeConfig({ notifiers: {}, delivery: { linger: "30s" } }));
  const json = readFileSync(join(folder, "codex", "notify.json"), "utf8");

  test.each(ways)("is accepted from the %s", async (way) => {
    const thread = (JSON.parse(json) as Record<string, string>)["thread-id"] ?? "";
    const sessionId = `thread-${way}`;
    await callStop(home, way, ["--agent", "codex", json.replaceAll(thread, sessionId)], { input: "" });
    const journal = await home.until((lines) => lines.some((line) => line.sessionId === sessionId));
    const line = journal.find((found) => found.sessionId === sessionId);
    expect(line).toMatchObject({ event: "Stop", kind: "finished", agent: "codex", project: "shop", summary: reviewed });
  });

  test.each(ways)("is dropped by the %s while beckon is switched off", async (way) => {
    await home.until((lines) => lines.filter(({ status }) => status === "skipped").length === 2);
    const before = home.journal().length;
    expectSilence(await callStop(home, way, ["--agent", "codex", json], { input: "", env: { BECKON_DISABLE: "1" } }));
    await home.until(() => home.spooled().length === 0);
    expect(home.journal()).toHaveLength(before);
  });
});
