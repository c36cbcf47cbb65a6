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

const everything: Facts = {
  ...{ title: "Fix it", summary: "All green.", turnMs: 125_000, tokens: { input: 12_345, output: 999 } },
  stillRuns: "`npm run dev`",
};
const everythingSaid = `Fix it
All green.
Still running: \`npm run dev\`
2 min 5 s · session: 12.3K tokens in, 999 out`;
const ended = { event: "SessionEnd", kind: "info", reason: "prompt_input_exit" } as const;
const release: Facts = { title: "Release 2.0", summary: "Release 2.0 is built." };
const ownTitle: Facts = { title: "All is green…", summary: "All is green. Done." };

describe("the title and body", () => {
  test.each<[Partial<AgentEvent>, title: string, body: string, facts?: Facts]>([
    [{ ...asks, message: "Run it?" }, "shop · Claude Code needs you", "Run it?"],
    [asks, "shop · Claude Code needs you", "Claude Code is waiting for you"],
    [
      { ...asks, message: "Bash: npm publish" },
      "shop · Claude Code needs you",
      "Release 2.0\nBash: npm publish",
      release,
    ],
    [{}, "shop · Claude Code is done", "Claude Code finished"],
    [{}, "shop · Claude Code is done", "All green.", { summary: "All green." }],
    [{}, "shop · Claude Code is done", everythingSaid, everything],
    [{}, "shop · Claude Code is done", "All is green. Done.", ownTitle], // a title made from the answer, once
    [{}, "shop · Claude Code is done", "Claude Code finished after 2 min 5 s", { turnMs: 125_000 }],
    [{ host: "devbox" }, "shop@devbox · Claude Code is done", "Claude Code finished"],
    // A long project is cut so that a phone shows the event.
    [
      { project: "a-project-with-a-very-long-name" },
      "a-project-with-a-very-l… · Claude Code is done",
      "Claude Code finished",
    ],
    [{ ...asks, agent: "beckon", project: "beckon", message: "A test." }, "beckon needs you", "A test."],
    [
      { event: "SubagentStop", kind: "info" },
      "shop · Claude Code: sub-agent done",
      "A sub-agent of Claude Code finished",
    ],
    [ended, "shop · Claude Code: session ended", "Fix it (prompt input exit)", { title: "Fix it" }],
    [{ kind: "failed", reason: "rate_limit" }, "shop · Claude Code failed", "Claude Code stopped: rate limit"],
    [{ kind: "failed", message: "529 overloaded" }, "shop · Claude Code failed", "529 overloaded"],
    [{ event: "PreCompact", kind: "info" }, "shop · Claude Code: PreCompact", "Claude Code: PreCompact"],
    [{ event: "constructor", kind: "info" }, "shop · Claude Code: constructor", "Claude Code: constructor"],
    [{ agent: "else" }, "shop · else is done", "else finished"],
  ])("of %j are %j and %j", (more, title, body, facts = {}) => {
    expect(rendered(more, facts)).toMatchObject({ title, body });
  });

  test("of an abnormal session end differ from those of a failed turn", () => {
    const end = rendered({ event: "SessionEnd", kind: "failed", reason: "other" });
    expect(end.title).not.toBe(rendered({ kind: "failed" }).title);
    expect(end.body).not.toBe("");
  });

  test("exist for every event of every kind without any facts", () => {
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
