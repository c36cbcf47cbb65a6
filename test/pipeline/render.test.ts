import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import type { Limits, Message } from "../../src/core/message.ts";
import { eventNames, kinds } from "../../src/core/vocabulary.ts";
import { render } from "../../src/pipeline/render.ts";
import { clean } from "../../src/text/clean.ts";
import type { LengthUnit } from "../../src/text/cut.ts";
import { lengthIn } from "../../src/text/cut.ts";
import { escapeEntities } from "../../src/text/html.ts";
import type { MessageTemplates } from "../../src/text/template.ts";
import { measureCpuMs } from "../core/cpu-time.ts";
import { eventAt } from "../world/arriving-events.ts";
import { startMs } from "../world/delivery-world.ts";

const place = { sessionId: "0123456789abcdef", cwd: "/home/me/shop" };
const event = eventAt("Stop", 0, { id: "id-1", atMs: startMs, ...place, extra: { untouched: true } });

const wide: Limits = { unit: "utf16", title: 1_000, body: 10_000 };

interface Templates {
  readonly own?: MessageTemplates;
  readonly user?: MessageTemplates;
}

function rendered(more: Partial<AgentEvent> = {}, facts: Facts = {}, { own = {}, user = {} }: Templates = {}): Message {
  return render({ event: { ...event, ...more }, facts }, { limits: wide, templates: own, userTemplates: user });
}

const listWords = ({ title, body }: Message): readonly string[] => [title, body];

describe("a message that the user sends", () => {
  const headline = "Backup done";

  test("has its own title and text, whatever its kind, and no more", () => {
    for (const kind of ["needs-you", "failed", "finished", "info"] as const) {
      const sent = { kind, event: kind === "needs-you" ? "Notification" : "Stop", headline };
      expect(listWords(rendered({ ...sent, message: "12 GB" }))).toEqual(["shop · Backup done", "12 GB"]);
      expect(listWords(rendered(sent))).toEqual(["shop · Backup done", ""]);
    }
    const user = { Message: { title: "{agent}!" }, Stop: { title: "stop" }, failed: { title: "failed" } };
    expect(rendered({ kind: "failed", headline }, {}, { user }).title).toBe("Backup done!");
    const options = { limits: wide, templates: {}, variant: "done" } as const;
    expect(render({ event: { ...event, headline }, facts: {} }, options).title).toBe("✓ shop · Backup done");
  });

  test("about a command names the command in place of an agent", () => {
    const ended = { program: "npm test", message: "exit code 2 after 3 s" };
    const facts = { turnMs: 3_000 };
    expect(listWords(rendered({ ...ended, kind: "failed" }, facts))).toEqual(["shop · npm test failed", ended.message]);
    const finished = { program: "npm test", kind: "finished" } as const;
    expect(listWords(rendered(finished, facts))).toEqual(["shop · npm test is done", "npm test finished after 3 s"]);
    const quoted = rendered({ ...finished, message: "last line" }, facts, {
      user: { Stop: { title: "user {agent}" } },
    });
    expect(listWords(quoted)).toEqual(["user npm test", "npm test finished after 3 s\nlast line"]);
  });
});

describe("templates", () => {
  const own = { Stop: { title: "own {project}" } };
  const user = { Stop: { title: "user {project}", body: "user {agent}" }, info: { title: "user info", body: "user" } };

  test("of the notifier override the user's, which override the built-in ones, part by part", () => {
    expect(listWords(rendered({}, {}, { own, user }))).toEqual(["own shop", "user Claude Code"]);
    expect(listWords(rendered({}, {}, { own }))).toEqual(["own shop", "Claude Code finished"]);
    expect(listWords(rendered({}, {}, { user }))).toEqual(["user shop", "user Claude Code"]);
  });

  test("for `info` apply only to events without their own", () => {
    const renderTitle = (event: string, kind: AgentEvent["kind"]) => rendered({ event, kind }, {}, { user }).title;
    expect(renderTitle("PreCompact", "info")).toBe("user info");
    expect(renderTitle("Notification", "needs-you")).toBe("shop · Claude Code needs you");
    expect(renderTitle("SubagentStop", "info")).toBe("shop · Claude Code: sub-agent done");
  });

  test("for `done` apply whatever the event", () => {
    const options = { limits: wide, variant: "done" as const };
    const renderOwnTitle = (kind: AgentEvent["kind"], templates: MessageTemplates, all: MessageTemplates) =>
      render({ event: { ...event, kind }, facts: {} }, { ...options, templates, userTemplates: all }).title;
    const [one, other] = [{ done: { title: "own {project}" } }, { done: { title: "user {project}" } }];
    expect(renderOwnTitle("failed", {}, { failed: { title: "failed" }, ...user })).toBe("✓ shop · Claude Code");
    expect(renderOwnTitle("finished", {}, other)).toBe("user shop");
    expect(renderOwnTitle("finished", one, other)).toBe("own shop");
  });

  test("for failures override those of the event", () => {
    const failed = { ...user, failed: { title: "user failed" } };
    expect(rendered({ kind: "failed" }, {}, { user: failed }).title).toBe("user failed");
    const both = { ...failed, "Stop:failed": { title: "user stop failed" } };
    expect(rendered({ kind: "failed" }, {}, { user: both }).title).toBe("user stop failed");
  });

  test("with empty results leave the project as title", () => {
    const empty = { Stop: { title: "{summary}", body: "{summary}" } };
    expect(listWords(rendered({}, {}, { user: empty }))).toEqual(["shop", ""]);
  });

  test("are filled once, so placeholders in values stay", () => {
    const message = rendered({ event: "Notification", kind: "needs-you", message: "{project} $& {agent}" });
    expect(message.body).toBe("{project} $& {agent}");
  });

  test.each<[keyof Facts | "none", Facts, string, string]>([
    ["turnMs", { turnMs: 10_000 }, "{duration}", "10 s"],
    ["turnMs", { turnMs: 9_999 }, "took[[ {duration}]]", "took"],
    ["turnMs", { turnMs: 59_400 }, "{duration}", "59 s"],
    ["turnMs", { turnMs: 59_600 }, "{duration}", "1 min"],
    ["turnMs", { turnMs: 3_600_000 }, "{duration}", "1 h"],
    ["turnMs", { turnMs: 7_380_000 }, "{duration}", "2 h 3 min"],
    ["tokens", { tokens: { input: 12_345, output: 999 } }, "{tokens}", "session: 12.3K tokens in, 999 out"],
    ["tokens", { tokens: { credits: 1_234.5 } }, "{credits} credits", "1,234.5 credits"],
    ["status", { status: "idle", messageCount: 1_200 }, "{status}, {messages} messages", "idle, 1,200 messages"],
    ["title", { title: "Fix it" }, "{session}", "Fix it"],
    ["none", {}, "{session}", "01234567"],
    ["lastMessage", { lastMessage: "All green.\nEvery test." }, "{answer}", "All green. Every test."],
    ["model", { model: "m", branch: "b" }, "{model} {branch} {cwd} {event} {kind}", "m b /home/me/shop Stop finished"],
  ])("show %s: %j by %s as %s", (_, facts, title, shown) => {
    expect(rendered({}, facts, { user: { Stop: { title } } }).title).toBe(shown);
  });
});

describe("a message", () => {
  test("has its event's facts but not the payload", () => {
    const facts: Facts = { title: "Fix it", tokens: { input: 1 }, turnMs: 12_345, lastMessage: "long" };
    expect(rendered({ reason: "other", message: "m" }, facts)).toEqual({
      ...{ id: "id-1", at: "2026-11-20T12:00:00.000Z", event: "Stop", agent: "claude", kind: "finished" },
      ...{ sessionId: "0123456789abcdef", project: "shop", cwd: "/home/me/shop" },
      ...{ title: "shop · Claude Code is done", body: "Fix it\nClaude Code finished after 12 s" },
      ...{ message: "m", reason: "other", session: facts },
    });
  });

  const marks = fc.constantFrom("&<>", "\n", "👨‍👩‍👧", "\u001b[31m", "e\u0301", "{body}");
  const bits = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), marks), { maxLength: 60 });
  const text = bits.map((all) => clean(all.join("")));
  const unit = fc.constantFrom<LengthUnit>("bytes", "utf16", "codePoints", "graphemes");

  test("keeps its notifier's limits in the notifier's unit and form", () => {
    fc.assert(
      fc.property(
        text,
        text,
        unit,
        fc.nat(60),
        fc.nat(200),
        fc.boolean(),
        (one, two, measure, title, body, isEscaped) => {
          const countedAs = isEscaped ? escapeEntities : (part: string) => part;
          const limits = { unit: measure, title, body, countedAs };
          const project = two.replace(/\s+/g, " ").trim() || "unknown";
          const more = { message: one, project, kind: "needs-you", event: "Notification" } as const;
          const facts = { title: two, lastMessage: one, summary: two };
          const message = render({ event: { ...event, ...more }, facts }, { limits, templates: {} });
          const length = (part: string) => lengthIn(measure, measure === "graphemes" ? part : countedAs(part));
          expect(length(message.title)).toBeLessThanOrEqual(title);
          expect(length(message.body)).toBeLessThanOrEqual(body);
          for (const part of [message.message, message.session.title, message.session.lastMessage]) {
            expect(length(part ?? "")).toBeLessThanOrEqual(body);
          }
          expect(message.title).not.toMatch(/[\n\t]/);
          for (const part of listWords(message)) expect(clean(part)).toBe(part);
        },
      ),
      { numRuns: 300 },
    );
  });

  test("of a megabyte is rendered within a second", () => {
    const huge = "All & done. ".repeat(100_000);
    const asks = { message: huge, event: "Notification", kind: "needs-you" } as const;
    const render = () => expect(rendered(asks, { lastMessage: huge }).body).toHaveLength(10_000);
    expect(measureCpuMs(render)).toBeLessThan(1_000);
  });
});

const asks = { event: "Notification", kind: "needs-you" } as const;
const release: Facts = { title: "Release 2.0", summary: "Release 2.0 is built." };
const ownTitle: Facts = { title: "All is green…", summary: "All is green. Done." };

describe("the title and body", () => {
  test.each<[Partial<AgentEvent>, title: string, body: string, facts?: Facts]>([
    [{ ...asks, message: "Run it?" }, "shop · Claude Code needs you", "Run it?"],
    [
      { ...asks, message: "Bash: npm publish" },
      "shop · Claude Code needs you",
      "Release 2.0\nBash: npm publish",
      release,
    ],
    [{}, "shop · Claude Code is done", "All green.", { summary: "All green." }],
    [{}, "shop · Claude Code is done", "All is green. Done.", ownTitle], // a title made from the answer, once
    [{ host: "devbox" }, "shop@devbox · Claude Code is done", "Claude Code finished"],
    // A long project is cut so that a phone shows the event.
    [
      { project: "a-project-with-a-very-long-name" },
      "a-project-with-a-very-l… · Claude Code is done",
      "Claude Code finished",
    ],
    [{ ...asks, agent: "beckon", project: "beckon", message: "A test." }, "beckon needs you", "A test."],
    [{ kind: "failed", message: "529 overloaded" }, "shop · Claude Code failed", "529 overloaded"],
    [{ event: "constructor", kind: "info" }, "shop · Claude Code: constructor", "Claude Code: constructor"],
    [{ agent: "else" }, "shop · else is done", "else finished"],
  ])("of %j are %j and %j", (more, title, body, facts = {}) => {
    expect(rendered(more, facts)).toMatchObject({ title, body });
  });

  test("exist for every event of every kind without any facts", () => {
    const { sessionId: _, cwd: __, ...bare } = event;
    const options = { limits: wide, templates: {} };
    for (const [name, kind] of eventNames.flatMap((each) => kinds.map((other) => [each, other] as const))) {
      const named = { ...bare, event: name, kind, project: "unknown" };
      const { title, body } = render({ event: named, facts: {} }, options);
      expect(title, `${name} ${kind}`).not.toBe("");
      expect(body, `${name} ${kind}`).not.toBe("");
      expect(title + body).not.toMatch(/[{}]|undefined/);
    }
  });
});
