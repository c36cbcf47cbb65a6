import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Facts } from "../../src/core/facts.ts";
import { details } from "../../src/core/vocabulary.ts";
import { redactForNotifier } from "../../src/pipeline/attempt.ts";
import { render } from "../../src/pipeline/render.ts";
import { summarize } from "../../src/text/summary.ts";
import { eventAt } from "../world/arriving-events.ts";

const token = `ghp_${"a1B2".repeat(9)}`;
const event = eventAt("Notification", 0, {
  ...{ sessionId: "session-4711", cwd: "/code/said/shop", message: `said: use ${token}\nsecond line said` },
  ...{ reason: "said", lastMessage: "said at length", transcriptPath: "/said", extra: { said: true }, host: "said" },
});
const facts: Facts = { title: "said", summary: `said ${token}`, lastMessage: "said", branch: "said", turnMs: 5_000 };
const everyName =
  "{project}|{agent}|{session}|{summary}|{answer}|{message}|{reason}|{duration}|{tokens}|{branch}|{model}|{cwd}";
const templates = { Notification: { title: everyName, body: everyName } };
const limits = { unit: "utf16", title: 5_000, body: 5_000 } as const;

describe("the detail that a notifier may show", () => {
  test("is everything at level `full`, unmasked unless `mask` is set", () => {
    expect(redactForNotifier({ event, facts }, { detail: "full", mask: false })).toEqual({ event, facts });
  });

  test("is project, agent and kind at level `minimal`, whatever the templates use", () => {
    const seen = redactForNotifier({ event, facts }, { detail: "minimal", mask: false });
    const message = render(seen.event, seen.facts, { limits, templates }, {});
    expect(JSON.stringify(message)).not.toMatch(/said|4711|ghp_/);
    expect(message).toMatchObject({ project: "shop", agent: "claude", kind: "needs-you" });
    expect(message.title).toContain("shop|Claude Code|");
    const usual = render(seen.event, seen.facts, { limits, templates: {} }, {});
    expect([usual.title, usual.body]).toEqual(["shop · Claude Code needs you", "Claude Code is waiting for you"]);
  });

  test("has neither a message's own title nor the name of a command at level `minimal`", () => {
    for (const own of [{ headline: `said ${token}` }, { program: `said ${token}` }]) {
      const view = { event: { ...event, ...own }, facts };
      expect(JSON.stringify(redactForNotifier(view, { detail: "minimal", mask: false }))).not.toMatch(/said|ghp_/);
      expect(JSON.stringify(redactForNotifier(view, { detail: "full", mask: true }).event)).not.toContain(token);
    }
  });

  test("is one line of at most 160 graphemes without the last message at level `summary`", () => {
    const long = { ...event, message: `first\n${"word ".repeat(100)}` };
    const seen = redactForNotifier({ event: long, facts }, { detail: "summary", mask: false });
    expect(seen.event.message).toMatch(/^first word .*…$/);
    expect([...(seen.event.message ?? "")].length).toBeLessThanOrEqual(160);
    expect(seen.event.lastMessage ?? seen.facts.lastMessage).toBeUndefined();
    expect(seen.facts.title).toBe("said");
  });

  test.each(details)("is masked in every text at level `%s` if `mask` is set", (detail) => {
    const seen = redactForNotifier({ event, facts }, { detail, mask: true });
    const message = render(seen.event, seen.facts, { limits, templates }, {});
    expect(JSON.stringify(message)).not.toContain(token);
    if (detail !== "minimal") expect(message.body).toContain("[secret]");
  });

  test.each(details)("shows no part of a secret at level `%s`, wherever a line is cut", (detail) => {
    for (let before = 100; before < 180; before += 1) {
      const said = `${"x".repeat(before)} ${token} is the key`;
      const known: Facts = { lastMessage: said, summary: summarize(said) };
      const seen = redactForNotifier({ event: { ...event, message: said }, facts: known }, { detail, mask: true });
      const message = render(seen.event, seen.facts, { limits, templates }, {});
      expect(JSON.stringify(message)).not.toContain("ghp_");
    }
  });

  test("is limited to known facts", () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...details), fc.boolean(), (message, detail, mask) => {
        const seen = redactForNotifier({ event: { ...event, message }, facts: {} }, { detail, mask });
        const known = new Set([...Object.keys(event), "extra"]);
        expect(Object.keys(seen.event).every((key) => known.has(key))).toBe(true);
      }),
    );
  });
});
