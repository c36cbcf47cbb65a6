import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../src/core/event.ts";
import { PeerRings, RecentEvents, ringsPerMinute } from "../../src/pipeline/recent-events.ts";
import { arrive, eventAt } from "../world/arriving-events.ts";
import { freshFolder } from "../world/fresh-folder.ts";

describe("recent events", () => {
  let folder: string;
  let recent: RecentEvents;
  const file = () => join(folder, "state", "recent.json");
  beforeEach(() => {
    folder = freshFolder();
    recent = new RecentEvents(file());
  });

  const take = (...args: Parameters<typeof eventAt>): AgentEvent => arrive(recent, eventAt(...args));
  const restart = (): void => {
    recent.save();
    recent = new RecentEvents(file());
  };
  const saved = (): unknown[] => {
    recent.save();
    return JSON.parse(readFileSync(file(), "utf8")) as unknown[];
  };

  test("events outlive the worker in a file readable by its user alone", () => {
    take("Stop", 0);
    restart();
    expect(take("Stop", 1_000).skip).toContain("repeat");
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, "state")).mode & 0o777).toBe(0o700);
  });

  test("the file is written only for new events", () => {
    recent.save();
    expect(existsSync(file())).toBe(false);
  });

  test.each([
    ["torn", '[{"id":"x","atMs"'],
    ["of another version", '[{"id":"x","atMs":1,"agent":"claude"}]'],
  ])("a file that is %s is ignored", (_, text) => {
    take("Stop", 0);
    recent.save();
    writeFileSync(file(), text);
    recent = new RecentEvents(file());
    expect(take("Stop", 1).skip).toBeUndefined();
    restart();
    expect(take("Stop", 2).skip).toContain("repeat");
  });

  test("the last 500 events are kept for five minutes", () => {
    for (let index = 0; index < 700; index += 1) take("Stop", index * 10, { sessionId: `s${index}` });
    expect(saved()).toHaveLength(500);
    take("Stop", 6 * 60_000);
    expect(saved().length).toBeLessThan(10);
  });

  test("events from before the clock was set back are not compared", () => {
    take("Stop", 0);
    expect(take("Stop", -3_600_000).skip).toBeUndefined();
    expect(take("Stop", -3_600_000 + 500).skip).toContain("repeat");
    expect(take("SessionEnd", -3_600_000 + 600, { reason: "other" }).kind).toBe("info");
  });

  test("an event judged again after ten minutes evicts no younger event", () => {
    const held = take("Stop", 0, { sessionId: "held" });
    take("Stop", 600_000);
    recent.replace(held, {});
    expect(take("Notification", 660_000, { notificationType: "idle_prompt" }).skip).toContain("echo");
  });

  test("later events are compared with the latest judgement of an event", () => {
    const held = take("Stop", 0);
    recent.replace({ ...held, skip: "the session went on" }, {});
    expect(take("Notification", 60_000, { notificationType: "idle_prompt" }).skip).toBeUndefined();
  });
});

describe("peer rings", () => {
  test("each machine may ring 30 times a minute, and further rings are skipped", () => {
    const rings = new PeerRings();
    const verdicts = Array.from({ length: ringsPerMinute + 3 }, (_, index) => rings.count("loud", index));
    expect(verdicts.slice(0, ringsPerMinute).every((verdict) => verdict === "call")).toBe(true);
    expect(verdicts.slice(ringsPerMinute)).toEqual(["first", "leave out", "leave out"]);
    expect(rings.count("other", 40)).toBe("call");
    expect(rings.count("loud", 59_999)).toBe("leave out");
    expect(rings.count("loud", 60_000 + ringsPerMinute)).toBe("call");
  });
});
