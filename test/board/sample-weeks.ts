import { createHash } from "node:crypto";
import type { JournalLine } from "../../src/journal/journal-line.ts";
import { concern, makeAlert, writeAlerts } from "../world/alerts.ts";
import type { CliHome } from "../world/cli-home.ts";
import { at, type Changes } from "./journal.ts";

/** Friday, 20 November 2026, in the afternoon. */
export const nowMs = at("20 15:12:34");

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

/** Sessions that take turns in a project over a day. */
interface Project {
  readonly project: string;
  readonly agents: readonly string[];
  readonly titles: readonly string[];
  readonly requests: readonly string[];
}

const projects: readonly Project[] = [
  {
    project: "shop",
    agents: ["claude", "codex"],
    titles: ["Round taxes like the law says", "Refund a part of an order", "Show the basket's weight"],
    requests: ["Bash: npm publish --access public", "Bash: git push origin main"],
  },
  {
    project: "api",
    agents: ["codex", "claude"],
    titles: ["Page through orders", "Limit requests by key", "Remove the old search"],
    requests: ["Bash: docker compose up", "Edit: src/routes/orders.ts"],
  },
  {
    project: "site",
    agents: ["gemini"],
    titles: ["New landing page", "Smaller pictures"],
    requests: ["WriteFile: src/pages/index.html", "Shell: npm run deploy"],
  },
  {
    project: "infra",
    agents: ["droid"],
    titles: ["Rotate the keys", "Move backups to the new bucket"],
    requests: ["Execute: terraform apply", "Execute: kubectl rollout restart deploy/api"],
  },
];

/** Numbers from 0 to 1 that look random, and are the same for the same seed. */
function* roll(seed: string): Generator<number, never> {
  for (let count = 0; ; count += 1) {
    yield createHash("md5").update(`${seed}/${count}`).digest().readUInt32BE() / 2 ** 32;
  }
}

/** Writes five weeks of four projects; two of their sessions wait now. */
export function writeSampleWeeks(home: CliHome): void {
  const midnightMs = at("20 00:00");
  for (let day = 34; day >= 0; day -= 1) {
    const startMs = midnightMs - day * dayMs;
    const isWeekend = [0, 6].includes(new Date(startMs).getDay());
    const lines = projects.slice(0, isWeekend ? 1 : undefined).flatMap((project) => dayLines(project, startMs));
    const isJournaled = (line: JournalLine): boolean => Date.parse(line.at) <= nowMs - 15 * minuteMs;
    home.journal(...lines.filter(isJournaled).sort((a, b) => (a.at < b.at ? -1 : 1)));
  }
  waitNow(home, "shop", nowMs - 754_000);
  waitNow(home, "site", nowMs - 48_000);
}

/** Makes the lines of a project's turns from morning to evening. */
function dayLines({ project, agents, titles, requests }: Project, startMs: number): JournalLine[] {
  const dice = roll(`${project} ${startMs}`);
  const next = (least: number, most: number): number => least + dice.next().value * (most - least);
  const pick = <Value>(from: readonly Value[]): Value => from[Math.floor(next(0, from.length))] as Value;
  const lines: JournalLine[] = [];
  let tokens = 0;
  let atMs = startMs + next(8.1, 9) * 60 * minuteMs;
  for (let turn = 0; atMs < startMs + 17.5 * 60 * minuteMs; turn += 1) {
    const session = Math.floor(turn / 4);
    const agent = agents[session % agents.length] ?? "";
    const own = { agent, sessionId: `${project}-${startMs}-${session}`, project };
    const title = titles[session % titles.length] ?? "";
    const line = (id: string, lineMs: number, more: Changes): JournalLine => {
      return { at: new Date(lineMs).toISOString(), id: `${own.sessionId}-${turn}-${id}`, ...own, ...more };
    };
    const deliver = (id: string, lineMs: number, kind: string): JournalLine[] => {
      const until = startMs + 13 * 60 * minuteMs;
      const isLunch = lineMs > startMs + 12.25 * 60 * minuteMs && lineMs < until;
      const why = { status: "held", notifier: "phone", heldFor: "silence" } as const;
      const hold = { ...why, until: new Date(until).toISOString() };
      const sent = line(id, isLunch ? until : lineMs + 2_000, { kind, status: "sent", notifier: "phone" });
      return isLunch ? [line(id, lineMs, { kind, ...hold }), sent] : [sent];
    };
    const beganMs = atMs;
    atMs += next(6, 16) * minuteMs;
    if (next(0, 1) < 0.6) {
      const waitedMs = next(0.6, 2.6) ** 2 * minuteMs;
      const ask = { event: "Notification", kind: "needs-you" };
      lines.push(line("ask", atMs, { ...ask, status: "accepted", title, summary: pick(requests) }));
      lines.push(...deliver("ask", atMs, ask.kind));
      atMs += waitedMs;
      lines.push(line("ask", atMs, { ...ask, status: "resolved", resolvedBy: "result", waitedMs }));
      atMs += next(3, 9) * minuteMs;
    }
    tokens = turn % 4 === 0 ? 0 : tokens;
    tokens += Math.floor(next(30_000, 170_000));
    const kind = next(0, 1) < 0.05 ? "failed" : "finished";
    const end = { event: "Stop", kind, title, turnMs: atMs - beganMs, tokens };
    const summary = kind === "failed" ? "The service is overloaded." : "Done. All tests pass.";
    lines.push(line("end", atMs, { ...end, status: "accepted", summary }), ...deliver("end", atMs, kind));
    atMs += next(4, 28) * minuteMs;
  }
  return lines;
}

/** Lets a project's last session wait for an answer. */
function waitNow(home: CliHome, name: string, atMs: number): void {
  const { agents, titles, requests } = projects.find(({ project }) => project === name) as Project;
  const seat = { terminalDevice: 1, terminal: { DISPLAY: ":0" } };
  const own = { ...seat, agent: agents[0] ?? "", project: name, sessionId: `${name}-now` };
  const open = concern(`${name}-ask`, { atMs, event: { message: requests[0] ?? "" } });
  writeAlerts(home, makeAlert({ ...own, title: titles[0] ?? "", lastAtMs: atMs, concerns: [open] }));
}
