import { chownSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Presence } from "../../../src/core/ports.ts";
import { createBuses, logindSource } from "../../../src/io/presence/bus-sources.ts";
import { startSessionBus } from "../../world/desktop-session.ts";
import { useEach } from "../../world/use.ts";
import { type BusAnswers, type BusService, startBusService } from "./bus-service.ts";

describe("logind", () => {
  const bus = useEach("stop", startSessionBus);
  let service: BusService | undefined;
  afterEach(() => service?.stop());

  const user = "/org/freedesktop/login1/user/_1000";
  const session = "/org/freedesktop/login1/session/_32";

  /** Puts logind, as documented, on the bus, with one graphical session. */
  async function serve(hints: {
    locked: boolean;
    idle: boolean;
    idleSinceMs: number;
    display?: string;
  }): Promise<void> {
    const manager = "/org/freedesktop/login1 org.freedesktop.login1.Manager";
    const properties = "org.freedesktop.login1.Session";
    const answers: BusAnswers = {
      [`${manager}.GetUser`]: { signature: "o", value: user },
      [`${user} org.freedesktop.login1.User.Display`]: { signature: "(so)", value: ["2", hints.display ?? session] },
      [`${session} ${properties}.LockedHint`]: { signature: "b", value: hints.locked },
      [`${session} ${properties}.IdleHint`]: { signature: "b", value: hints.idle },
      [`${session} ${properties}.IdleSinceHint`]: { signature: "t", value: BigInt(hints.idleSinceMs) * 1000n },
    };
    service = await startBusService(bus.env["DBUS_SESSION_BUS_ADDRESS"] ?? "", "org.freedesktop.login1", answers);
  }

  /** Asks for the presence, with this test's bus in place of the system bus. */
  async function ask(): Promise<Presence> {
    const limit = new AbortController();
    const call = createBuses({}, {}, join(bus.folder, "socket"), limit.signal);
    const run = async () => undefined;
    try {
      return await logindSource({ env: {}, home: "/nowhere", signal: limit.signal, run, call });
    } finally {
      limit.abort();
    }
  }

  test("a session that logind marks as locked is locked (a service that answers as documented)", async () => {
    await serve({ locked: true, idle: false, idleSinceMs: 0 });
    expect(await ask()).toEqual({ isLocked: true });
  });

  test("an unmarked session may be locked, as not every screen locker reports it", async () => {
    await serve({ locked: false, idle: false, idleSinceMs: 0 });
    expect(await ask()).toEqual({});
  });

  test("the idle time counts only if the session is idle", async () => {
    await serve({ locked: false, idle: true, idleSinceMs: Date.now() - 60_000 });
    expect((await ask()).idleMs).toBeGreaterThanOrEqual(60_000);
    service?.stop();
    await serve({ locked: false, idle: false, idleSinceMs: Date.now() - 60_000 });
    expect(await ask()).toEqual({});
  });

  test("a user without a session causes no request", async () => {
    await serve({ locked: true, idle: true, idleSinceMs: 0, display: "/" });
    expect(await ask()).toEqual({});
  });

  test("another user's bus in the system bus's place is not used", async () => {
    await serve({ locked: true, idle: false, idleSinceMs: 0 });
    chownSync(join(bus.folder, "socket"), 65_534, 65_534);
    await expect(ask()).rejects.toThrow("the system bus is missing or another user's");
    expect(service?.calls).toEqual([]);
  });
});
