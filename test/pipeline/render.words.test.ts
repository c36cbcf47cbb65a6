import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import type { Limits } from "../../src/core/message.ts";
import { eventNames, kinds } from "../../src/core/vocabulary.ts";
import { render } from "../../src/pipeline/render.ts";
import { stopEvent as event } from "./stop-event.ts";

const wide: Limits = { unit: "utf16", title: 1_000, body: 10_000 };

const asks = { event: "Notification", kind: "needs-you" } as const;
const rendered = (more: Partial<AgentEvent>, facts: Facts = {}) =>
  render({ ...event, ...more }, facts, { limits: wide, templates: {} }, {});

describe("the title and body", () => {
  test.each<[string, Partial<AgentEvent>, Facts, readonly [string, string]]>([
    ["a question", { ...asks, message: "Run it?" }, {}, ["shop · Claude Code needs you", "Run it?"]],
    ["a question without words", asks, {}, ["shop · Claude Code needs you", "Claude Code is waiting for you"]],
    ["an end with an answer", {}, { summary: "All green." }, ["shop · Claude Code is done", "All green."]],
    [
      "an end with an answer and all there is to know",
      {},
      {
        title: "Fix it",
        summary: "All green.",
        turnMs: 125_000,
        tokens: { input: 12_345, output: 999 },
        stillRuns: "`npm run dev`",
      },
      [
        "shop · Claude Code is done",
        "Fix it\nAll green.\nStill running: `npm run dev`\n2 min 5 s · session: 12.3K tokens in, 999 out",
      ],
    ],
    [
      "a question in a session that has a title",
      { ...asks, message: "Bash: npm publish" },
      { title: "Release 2.0", summary: "Release 2.0 is built." },
      ["shop · Claude Code needs you", "Release 2.0\nBash: npm publish"],
    ],
    [
      "a title made from the answer, once",
      {},
      { title: "All is green…", summary: "All is green. Done." },
      ["shop · Claude Code is done", "All is green. Done."],
    ],
    ["an agent on another host", { host: "devbox" }, {}, ["shop@devbox · Claude Code is done", "Claude Code finished"]],
    [
      "a long project, so that a phone shows what happened",
      { project: "a-project-with-a-very-long-name" },
      {},
      ["a-project-with-a-very-l… · Claude Code is done", "Claude Code finished"],
    ],
    [
      "what comes from beckon itself",
      { ...asks, agent: "beckon", project: "beckon", message: "A test." },
      {},
      ["beckon needs you", "A test."],
    ],
    ["a duration", {}, { turnMs: 125_000 }, ["shop · Claude Code is done", "Claude Code finished after 2 min 5 s"]],
    ["an end without facts", {}, {}, ["shop · Claude Code is done", "Claude Code finished"]],
    [
      "a sub-agent",
      { event: "SubagentStop", kind: "info" },
      {},
      ["shop · Claude Code: sub-agent done", "A sub-agent of Claude Code finished"],
    ],
    [
      "a session's end",
      { event: "SessionEnd", kind: "info", reason: "prompt_input_exit" },
      { title: "Fix it" },
      ["shop · Claude Code: session ended", "Fix it (prompt input exit)"],
    ],
    [
      "a failed turn",
      { kind: "failed", reason: "rate_limit" },
      {},
      ["shop · Claude Code failed", "Claude Code stopped: rate limit"],
    ],
    [
      "a failed turn's words",
      { kind: "failed", message: "529 overloaded" },
      {},
      ["shop · Claude Code failed", "529 overloaded"],
    ],
    [
      "its own event",
      { event: "PreCompact", kind: "info" },
      {},
      ["shop · Claude Code: PreCompact", "Claude Code: PreCompact"],
    ],
    [
      "a name of every object",
      { event: "constructor", kind: "info" },
      {},
      ["shop · Claude Code: constructor", "Claude Code: constructor"],
    ],
    ["an agent nobody knows", { agent: "else" }, {}, ["shop · else is done", "else finished"]],
  ])("%s", (_, more, facts, words) => {
    const { title, body } = rendered(more, facts);
    expect([title, body]).toEqual(words);
  });

  test("of an abnormal session's end are not those of a failed turn", () => {
    const end = rendered({ event: "SessionEnd", kind: "failed", reason: "other" });
    expect(end.title).not.toBe(rendered({ kind: "failed" }).title);
    expect(end.body).not.toBe("");
  });

  test("are there for every event of every kind without any facts", () => {
    const { sessionId: _, cwd: __, ...bare } = event;
    const options = { limits: wide, templates: {} };
    for (const [name, kind] of eventNames.flatMap((each) => kinds.map((other) => [each, other] as const))) {
      const { title, body } = render({ ...bare, event: name, kind, project: "unknown" }, {}, options, {});
      expect(title, `${name} ${kind}`).not.toBe("");
      expect(body, `${name} ${kind}`).not.toBe("");
      expect(title + body).not.toMatch(/[{}]|undefined/);
    }
  });
});
