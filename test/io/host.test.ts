import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { createClock } from "../../src/io/clock.ts";
import { createHost } from "../../src/io/host.ts";
import { isBeingLookedUp, lookUpHost } from "../../src/io/http.ts";
import { findOpener, openAddress } from "../../src/io/open-address.ts";
import { freshFolder } from "../world/fresh-folder.ts";

describe("host", () => {
  const name = "devbox.example.org";

  test.each<[string, NodeJS.ProcessEnv, string | undefined]>([
    ["at the machine itself", { TERM: "xterm", DISPLAY: ":0" }, undefined],
    ["with an empty variable", { SSH_CONNECTION: "" }, undefined],
    ["over SSH", { SSH_CONNECTION: "192.0.2.1 50000 192.0.2.2 22" }, "devbox"],
    ["in a container of Podman or systemd", { container: "podman" }, "devbox"],
    ["in a pod", { KUBERNETES_SERVICE_HOST: "10.0.0.1" }, "devbox"],
  ])("%s the host has this name", (_, env, expected) => {
    expect(createHost(env, name, []).elsewhere()).toBe(expected);
  });

  test("in a container of Docker its file has the name", () => {
    const mark = join(freshFolder(), ".dockerenv");
    const host = createHost({}, name, [mark]);
    expect(host.elsewhere()).toBeUndefined();
    writeFileSync(mark, "");
    expect(host.elsewhere()).toBe("devbox");
  });

  test("a name of control characters is ignored", () => {
    expect(createHost({ SSH_TTY: "/dev/pts/1" }, "\u001b\u0007", []).elsewhere()).toBeUndefined();
  });
});

test("a host's addresses come one or all, as requested, without leftover lookups", async () => {
  const single = new Promise((resolve) =>
    lookUpHost("localhost", { family: 4 }, (error, address, family) => resolve([error, address, family])),
  );
  const all = promisify(lookUpHost)("localhost", { family: 4, all: true });
  expect(isBeingLookedUp("localhost")).toBe(true);
  expect(isBeingLookedUp("local")).toBe(false);
  expect(await single).toEqual([null, "127.0.0.1", 4]);
  expect(await all).toContainEqual({ address: "127.0.0.1", family: 4 });
  expect(isBeingLookedUp("localhost")).toBe(false);
});

test("a missing host is an error for all requests", async () => {
  const asks = [1, 2].map(() => promisify(lookUpHost)("no-such-host.invalid", {}));
  for (const { status, reason } of (await Promise.allSettled(asks)) as PromiseRejectedResult[]) {
    expect(status).toBe("rejected");
    expect(reason.code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/);
  }
});

test("a wait lasts its given time, and no longer than its signal", async () => {
  const { wait } = createClock();
  let isLate = false;
  setTimeout(() => (isLate = true), 10);
  await wait(20);
  expect(isLate).toBe(true);
  await wait(2 ** 30, AbortSignal.timeout(1));
  await wait(2 ** 30, AbortSignal.abort());
});

test("addresses open on a local desktop alone", () => {
  const display = { DISPLAY: ":0" };
  const rows: readonly [string, NodeJS.ProcessEnv, NodeJS.Platform, readonly string[] | undefined][] = [
    ["X11", display, "linux", ["xdg-open"]],
    ["Wayland", { WAYLAND_DISPLAY: "wayland-0" }, "linux", ["xdg-open"]],
    ["a console", {}, "linux", undefined],
    ["an empty display", { DISPLAY: "" }, "linux", undefined],
    ["X11 forwarded over SSH", { ...display, SSH_CONNECTION: "10.0.0.1 5 10.0.0.2 22" }, "linux", undefined],
    ["tmux started over SSH", { ...display, SSH_TTY: "/dev/pts/3" }, "linux", undefined],
    ["macOS", {}, "darwin", ["open"]],
    ["macOS over SSH", { SSH_CLIENT: "10.0.0.1 5 22" }, "darwin", undefined],
    ["Windows", {}, "win32", ["cmd", "/c", "start", ""]],
    ["FreeBSD", display, "freebsd", ["xdg-open"]],
  ];
  const found = rows.map(([name, env, platform]) => [name, findOpener(env, platform)]);
  expect(found).toEqual(rows.map(([name, , , opener]) => [name, opener]));
});

test("a missing program opens nothing", async () => {
  expect(await openAddress("http://127.0.0.1:1/", { DISPLAY: ":0", PATH: "/nowhere" }, "linux")).toBe(false);
});
