import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { readNewestWindows, readUsageLimits } from "../../src/attention/usage-limits.ts";
import { languages, loadCatalogue } from "../../src/config/catalogues.ts";
import { fromRelayed, relayedEventSchema, toRelayed } from "../../src/core/relayed.ts";
import { describeUsageLimit } from "../../src/core/usage-limit.ts";
import { noteUsageLimits } from "../../src/pipeline/notices.ts";
import { hourMs, minuteMs } from "../../src/text/time.ts";
import { AttentionWorld } from "../world/attention-world.ts";
import { startMs } from "../world/delivery-world.ts";

const routes = [{ kinds: ["needs-you", "finished"], to: ["desk"] }];
/** End of the first 5-hour window: 16:40 in the tests' zone. */
const firstEndMs = startMs + 8 * hourMs + 10 * minuteMs;

let world: AttentionWorld;
beforeEach(() => {
  world = new AttentionWorld();
});

const start = (more: Partial<Parameters<AttentionWorld["start"]>[0]> = {}) =>
  world.start({ routes, lookups: ["transcript"], limits: [80], ...more });

interface Figures {
  readonly used: number;
  readonly endMs?: number;
  readonly week?: number;
  readonly id?: string;
  readonly name?: string;
  readonly account?: string;
  readonly session?: string;
  /** Clock of the machine that wrote the line, if it is not the worker's. */
  readonly atMs?: number;
}

/** Ends a turn of a session, in whose rollout Codex has recorded figures, and works until its messages are sent. */
async function endTurn({ account = ".codex", session = "shop", ...figures }: Figures): Promise<void> {
  const { used, endMs = firstEndMs, week, id = "codex", name = null, atMs = world.nowMs } = figures;
  const path = join(world.root, account, "sessions", "2026", "11", "20", `rollout-${session}.jsonl`);
  const window = (used_percent: number, window_minutes: number, ms: number) => ({
    ...{ used_percent, window_minutes, resets_at: ms / 1000 },
  });
  const primary = window(used, 300, endMs);
  const secondary = week === undefined ? null : window(week, 10_080, startMs + 100 * hourMs);
  const rate_limits = { limit_id: id, limit_name: name, primary, secondary, plan_type: "plus" };
  const payloads = [
    { type: "task_started" },
    { type: "user_message", message: "Do it" },
    { type: "token_count", info: null, rate_limits },
    { type: "agent_message", message: "Done" },
    { type: "task_complete", last_agent_message: "Done" },
  ];
  const timestamp = new Date(atMs).toISOString();
  const lines = payloads.map((payload) => `${JSON.stringify({ timestamp, type: "event_msg", payload })}\n`);
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, lines.join(""));
  world.fire({ agent: "codex", id: session, pid: 4001 }, "Stop", {
    transcript_path: path,
    last_assistant_message: "Done",
    turn_id: String(world.nowMs),
  });
  await world.workUntil(world.nowMs + 10_000);
  world.nowMs += minuteMs;
}

function notices(): string[] {
  return world.calls.flatMap(({ title, body }) => (title === "Codex: usage limit" ? body : []));
}

const five = (used: number, time = "16:40") => `${used}% of the 5-hour limit used, resets at ${time}`;

describe("the notice of a usage limit", () => {
  test("says what, how much, and when it resets", async () => {
    await start({ limits: [80, 95] });
    await endTurn({ used: 82.6 });
    expect(world.calls.map(({ notifier, title, body }) => [notifier, title, body]).sort()).toEqual([
      ["desk", "Codex: usage limit", "82% of the 5-hour limit used, resets at 16:40"],
      ["desk", "shop · Codex is done", "Do it\nDone"],
    ]);
  });

  test("does not exist without the setting, and the figures are known all the same", async () => {
    await world.start({ routes, lookups: ["transcript"] });
    await endTurn({ used: 99, week: 40 });
    expect(notices()).toEqual([]);
    const known = readNewestWindows(world.context.limitsFile);
    expect(known.map(({ usedPercent, windowMs }) => [usedPercent, windowMs / hourMs])).toEqual([
      [99, 5],
      [40, 168],
    ]);
  });

  test("comes once for each threshold, and only for the highest of those that are reached together", async () => {
    await start({ limits: [95, 50, 80] });
    for (const used of [49, 50, 60, 96, 97, 100]) await endTurn({ used });
    expect(notices()).toEqual([five(50), five(96)]);
  });

  test("comes again in the window after a reset", async () => {
    await start();
    await endTurn({ used: 85 });
    world.nowMs = firstEndMs + minuteMs;
    const endMs = world.nowMs + 5 * hourMs;
    await endTurn({ used: 3, endMs });
    await endTurn({ used: 81, endMs });
    expect(notices()).toEqual([five(85), five(81, "21:41")]);
  });

  test("does not come for a window that has ended, as in a resumed session", async () => {
    await start();
    await endTurn({ used: 85, endMs: startMs - hourMs });
    expect(notices()).toEqual([]);
  });

  test("comes for each window of an account, for each of its limits, and for each account", async () => {
    await start();
    await endTurn({ used: 85, week: 90 });
    await endTurn({ used: 85, id: "other", name: "Other model" });
    await endTurn({ used: 85, account: ".codex-work", session: "api" });
    // Another account in the same folder differs in its windows.
    await endTurn({ used: 86, endMs: firstEndMs + 20 * minuteMs });
    await endTurn({ used: 87 });
    await endTurn({ used: 88, endMs: firstEndMs + 20 * minuteMs });
    expect(notices().sort()).toEqual([
      five(85),
      five(85),
      five(86, "17:00"),
      "90% of the 7-day limit used, resets at 2026-11-24 12:30",
      "Other model: 85% of the 5-hour limit used, resets at 16:40",
    ]);
  });

  const repeats: Readonly<Record<string, () => Promise<void>>> = {
    "a restart of the worker": async () => world.reboot(),
    "a second session with the same figures": () => endTurn({ used: 85, session: "api" }),
    "a second session with older figures": () => endTurn({ used: 70, session: "api", atMs: startMs - hourMs }),
    "an end of the window that differs by seconds": () => endTurn({ used: 85, endMs: firstEndMs + 2_000 }),
    "a clock that is set ahead of the window's end, and back": async () => {
      world.nowMs += 24 * hourMs;
      await endTurn({ used: 86 });
      world.nowMs -= 24 * hourMs;
    },
    "a clock that is set back": async () => {
      world.nowMs -= 3 * hourMs;
      await endTurn({ used: 86 });
    },
  };
  test.each(Object.entries(repeats))("does not come again after %s", async (_, happens) => {
    await start();
    await endTurn({ used: 85 });
    await happens();
    expect(readNewestWindows(world.context.limitsFile)[0]?.usedPercent).toBeGreaterThanOrEqual(85);
    await endTurn({ used: 87 });
    expect(notices()).toEqual([five(85)]);
  });

  test("goes where finished turns go, as journalled, unless there is a route for it", async () => {
    await start();
    await endTurn({ used: 85 });
    const { id = "" } = world.calls.find(({ title }) => title === "Codex: usage limit") ?? {};
    const [{ status, reason } = {}] = world.context.journal.readLines(id);
    const remark = "no route matches a usage limit, so it goes where finished turns go";
    expect([status, reason]).toEqual(["accepted", remark]);
  });

  test("goes by its own route, and its session stays as it was", async () => {
    await start({ routes: [...routes, { on: ["Limit"], to: ["phone"] }] });
    await endTurn({ used: 85 });
    expect(world.calls.map(({ notifier, title }) => [notifier, title]).sort()).toEqual([
      ["desk", "shop · Codex is done"],
      ["phone", "Codex: usage limit"],
    ]);
    expect(world.context.alerts.sessions().map(({ lastEvent }) => lastEvent)).toEqual(["Stop"]);
  });

  test("waits for the end of quiet hours, and then says that the limit has been reset", async () => {
    await start({ routes: [{ on: ["Limit"], to: ["desk"] }], attention: { quiet: [{ at: "08:00-20:00" }] } });
    await endTurn({ used: 85 });
    expect(world.calls).toEqual([]);
    await world.workUntil(startMs + 12 * hourMs);
    expect(world.calls.map(({ body }) => body)).toEqual(["85% of the 5-hour limit used, has reset since"]);
  });

  test("is tried again with the next event if the spool cannot be written", async () => {
    await start();
    const { spool, ...context } = world.context;
    const event = { id: "e", atMs: startMs, event: "Stop", nativeEvent: "Stop", agent: "codex", extra: {} };
    const limit = { id: "", windowMs: 5 * hourMs, usedPercent: 85, resetsAtMs: firstEndMs, atMs: startMs };
    const work = { requests: [], calls: [], running: [], limits: [limit] };
    writeFileSync(join(world.root, "file"), "");
    const full = { ...context, spool: join(world.root, "file", "spool") };
    noteUsageLimits({ ...event, kind: "finished", project: "shop" }, { work }, full);
    expect(readUsageLimits(context.limitsFile)).toEqual([]);
    noteUsageLimits({ ...event, kind: "finished", project: "shop" }, { work }, { ...context, spool });
    expect(readUsageLimits(context.limitsFile)).toMatchObject([{ notifiedPercent: 80 }]);
    const stored = `${readFileSync(context.limitsFile, "utf8")}\n`;
    writeFileSync(context.limitsFile, stored);
    noteUsageLimits({ ...event, kind: "finished", project: "shop" }, { work }, { ...context, spool });
    expect(readFileSync(context.limitsFile, "utf8"), "written though unchanged").toBe(stored);
  });

  test("keeps its figures on the way to another machine, which shows its own time", () => {
    const limit = { id: "codex", windowMs: 5 * hourMs, usedPercent: 85, resetsAtMs: firstEndMs, atMs: startMs };
    const event = { id: "e", atMs: startMs, event: "Limit", nativeEvent: "Limit", agent: "codex", extra: {}, limit };
    const sent = toRelayed({ event: { ...event, kind: "info", project: "shop" }, facts: {} });
    const read = (given: object) =>
      fromRelayed(relayedEventSchema.parse({ ...sent, ...given }), { id: "e", atMs: startMs, host: "devbox" }).event;
    expect(read({}).limit).toEqual(limit);
    expect(read({ limit: { ...limit, usedPercent: "much" } }).limit).toBeUndefined();
  });

  test("reads well in every language", async () => {
    const texts = languages.map(async (language) => {
      const catalogue = await loadCatalogue(language);
      const limit = { id: "", usedPercent: 82, resetsAtMs: firstEndMs, atMs: startMs };
      const text = (hours: number, nowMs = startMs) =>
        describeUsageLimit({ ...limit, windowMs: hours * hourMs }, catalogue, nowMs);
      return [text(5), text(1), text(168), text(24, firstEndMs)].join(" | ").replaceAll("\u00a0", " ");
    });
    expect(await Promise.all(texts)).toMatchInlineSnapshot(`
      [
        "82% of the 5-hour limit used, resets at 16:40 | 82% of the 1-hour limit used, resets at 16:40 | 82% of the 7-day limit used, resets at 16:40 | 82% of the 1-day limit used, has reset since",
        "82 % des 5-Stunden-Limits verbraucht, Reset um 16:40 | 82 % des 1-Stunden-Limits verbraucht, Reset um 16:40 | 82 % des 7-Tage-Limits verbraucht, Reset um 16:40 | 82 % des 1-Tages-Limits verbraucht, inzwischen zurückgesetzt",
        "82 % de la limite de 5 heures utilisés, réinitialisation à 16:40 | 82 % de la limite de 1 heure utilisés, réinitialisation à 16:40 | 82 % de la limite de 7 jours utilisés, réinitialisation à 16:40 | 82 % de la limite de 1 jour utilisés, réinitialisée depuis",
        "82 % del límite de 5 horas usado, se restablece a las 16:40 | 82 % del límite de 1 hora usado, se restablece a las 16:40 | 82 % del límite de 7 días usado, se restablece a las 16:40 | 82 % del límite de 1 día usado, ya restablecido",
        "82% do limite de 5 horas usado, reinicia às 16:40 | 82% do limite de 1 hora usado, reinicia às 16:40 | 82% do limite de 7 dias usado, reinicia às 16:40 | 82% do limite de 1 dia usado, já reiniciado",
        "5 時間の上限の 82% を使用、16:40 にリセット | 1 時間の上限の 82% を使用、16:40 にリセット | 7 日間の上限の 82% を使用、16:40 にリセット | 1 日間の上限の 82% を使用、その後リセット済み",
        "已使用 5 小时限额的 82%，16:40 重置 | 已使用 1 小时限额的 82%，16:40 重置 | 已使用 7 天限额的 82%，16:40 重置 | 已使用 1 天限额的 82%，此后已重置",
      ]
    `);
  });
});
