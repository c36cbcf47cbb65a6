import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { languages, loadCatalogue } from "../../src/config/catalogues.ts";
import type { AgentEvent, EventView } from "../../src/core/event.ts";
import type { Facts } from "../../src/core/facts.ts";
import type { Limits, Message } from "../../src/core/message.ts";
import { eventNames, kinds } from "../../src/core/vocabulary.ts";
import { describeOrigin, type MessageVariant, render, renderGroup } from "../../src/pipeline/render.ts";
import { lengthIn } from "../../src/text/cut.ts";
import { eventAt } from "../world/arriving-events.ts";

const base = eventAt("Stop", 0, { sessionId: "0123456789abcdef", cwd: "/home/me/shop" });

const wide: Limits = { unit: "graphemes", title: 200, body: 1_000 };

interface Row {
  readonly name: string;
  readonly event: Partial<AgentEvent>;
  readonly facts?: Facts;
  readonly look?: MessageVariant;
}

const eventByKind = { "needs-you": "Notification", failed: "Stop", finished: "Stop", info: "SubagentStop" } as const;
const everything: Facts = {
  title: "v2",
  summary: "OK.",
  turnMs: 7_385_000,
  tokens: { input: 1_234_567, output: 12_345 },
  stillRuns: "`npm run dev`",
};
const rows: readonly Row[] = [
  ...eventNames.flatMap((event) =>
    kinds.map((kind): Row => ({ name: `${event}, ${kind}`, event: { event, kind, reason: "rate_limit" } })),
  ),
  { name: "a question", event: { event: "Notification", kind: "needs-you", message: "Bash: npm publish" } },
  { name: "a task's end", event: { event: "Notification", message: "Background agent done" } },
  { name: "a report", event: { event: "Notification", kind: "info", message: "Signed in" } },
  { name: "an end, all known", event: {}, facts: everything },
  { name: "an end after 125 s", event: {}, facts: { turnMs: 125_000, stillRuns: "`npm run dev`" } },
  { name: "an end before a scheduled run", event: {}, facts: { summary: "OK.", nextRun: "14:20" } },
  { name: "a failure, why unknown", event: { kind: "failed" } },
  {
    name: "a session's end, named",
    event: { event: "SessionEnd", kind: "info", reason: "logout" },
    facts: { title: "v2" },
  },
  { name: "resolved", event: { message: "Bash: npm publish" }, look: "done" },
  { name: "a newer message", event: { message: "Bash: npm publish" }, look: "moved" },
  { name: "an event of the agent's own", event: { event: "PreCompact", kind: "info" } },
  { name: "a broken notifier", event: { event: "BrokenNotifier", kind: "failed", agent: "beckon", project: "beckon" } },
  {
    name: "a wrong configuration",
    event: { event: "ConfigurationError", kind: "failed", agent: "beckon", project: "beckon" },
  },
];

const formatLine = (name: string, { title, body }: Pick<Message, "title" | "body">) =>
  `${name.padEnd(28)} ${title} | ${body.replaceAll("\n", " ⏎ ")}`;

describe.each(languages)("messages in %s", (language) => {
  test("match the table", async () => {
    const catalogue = await loadCatalogue(language);
    const rendered = ({ event, facts = {}, look = "new" }: Row) =>
      render({ event: { ...base, ...event }, facts }, { limits: wide, templates: {}, variant: look, catalogue });
    const views = (...named: readonly AgentEvent["kind"][]) =>
      named.map((kind) => ({ event: { ...base, event: eventByKind[kind], kind }, facts: {} }));
    const group = (first: AgentEvent["kind"], ...others: readonly AgentEvent["kind"][]) => {
      const [one, ...rest] = [views(first)[0], ...views(...others)] as const;
      if (!one) throw new Error("no view");
      const renderOne = ({ event, facts }: EventView) => rendered({ name: "", event, facts });
      return renderGroup([one, ...rest], renderOne, { limits: wide, sessions: 2 }, catalogue);
    };
    const { brokenNotifier, test: testText, configurationErrors } = catalogue.notices;
    const table = [
      ...rows.map((row) => formatLine(row.name, rendered(row))),
      ...kinds.map((kind) => formatLine(`two, ${kind}`, group(kind, kind))),
      formatLine("two of different kinds", group("finished", "info")),
      ...[testText, brokenNotifier, ...Object.values(configurationErrors)],
      describeOrigin(rendered({ name: "", event: {} }), catalogue).replaceAll("\n", " ⏎ "),
    ];
    for (const line of table) expect(line).not.toMatch(/undefined|\[\[|\]\]/);
    await expect(`${table.join("\n")}\n`).toMatchFileSnapshot(
      join(import.meta.dirname, `render.languages/${language}.txt`),
    );
  });

  test("keep limits in graphemes, bytes and UTF-16", async () => {
    const catalogue = await loadCatalogue(language);
    for (const unit of ["graphemes", "bytes", "utf16"] as const) {
      const limits: Limits = { unit, title: 20, body: 24 };
      const { title, body } = render({ event: base, facts: everything }, { limits, templates: {}, catalogue });
      expect(lengthIn(unit, title)).toBeLessThanOrEqual(20);
      expect(lengthIn(unit, body)).toBeLessThanOrEqual(24);
      expect(`${title}${body}`.isWellFormed()).toBe(true);
    }
  });
});
