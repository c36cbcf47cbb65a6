import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Receipt } from "../../src/core/notifier-call.ts";
import type { Obstacle } from "../../src/core/ports.ts";
import { closing, detectProtocol, passThrough, protocols, sequence, terminal } from "../../src/notifiers/terminal.ts";
import { cut } from "../../src/text/cut.ts";
import { localCall } from "../world/local-call.ts";

const esc = "\u001b";
const notice = { title: "shop needs you", body: "May I?", id: "evt-1", urgent: true };

describe("the control sequence of a notification", () => {
  test.each([
    ["osc9", `${esc}]9;shop needs you: May I?${esc}\\`],
    ["osc777", `${esc}]777;notify;shop needs you;May I?${esc}\\`],
    [
      "osc99",
      `${esc}]99;i=evt-1:e=1:u=2:d=0:p=title;c2hvcCBuZWVkcyB5b3U=${esc}\\${esc}]99;i=evt-1:e=1:u=2:d=1:p=body;TWF5IEk/${esc}\\`,
    ],
    ["bell", ""],
  ] as const)("%s", (protocol, expected) => {
    expect(sequence(protocol, notice)).toBe(expected);
  });

  test.each([
    [{ TERM: "xterm-kitty" }, "osc99"],
    [{ TERM: "xterm-256color", KITTY_WINDOW_ID: "1" }, "osc99"],
    [{ TERM_PROGRAM: "iTerm.app" }, "osc9"],
    [{ TERM_PROGRAM: "WezTerm" }, "osc9"],
    [{ TERM_PROGRAM: "ghostty" }, "osc9"],
    [{ WT_SESSION: "x" }, "osc9"],
    [{ TERM: "xterm-ghostty" }, "osc9"],
    [{ TERM: "wezterm" }, "osc9"],
    [{ TERM_PROGRAM: "WarpTerminal" }, "osc9"],
    [{ TERM: "foot-extra" }, "osc777"],
    [{ TERM: "rxvt-unicode-256color" }, "osc777"],
    [{ TERM: "xterm-256color" }, "bell"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", LC_TERMINAL: "iTerm2" }, "osc9"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", GHOSTTY_RESOURCES_DIR: "/usr/share/ghostty" }, "osc9"],
    [{ TERM: "screen", WEZTERM_EXECUTABLE: "/usr/bin/wezterm-gui" }, "osc9"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", LC_TERMINAL: "other" }, "bell"],
    [{}, "bell"],
  ] as const)("for %j is %s", (env, protocol) => {
    expect(detectProtocol(env)).toBe(protocol);
  });

  test("goes through tmux with its escapes doubled, and through screen in pieces", () => {
    const text = sequence("osc9", notice);
    expect(passThrough(text, { TMUX: "/tmp/t,1,0" })).toBe(
      `${esc}Ptmux;${esc}${esc}]9;shop needs you: May I?${esc}${esc}\\${esc}\\`,
    );
    expect(passThrough(text, { STY: "1.a" })).toBe(
      `${esc}P${esc}]9;shop needs you: May I?${esc}${esc}\\${esc}P\\${esc}\\`,
    );
    expect(passThrough("", { TMUX: "x" })).toBe("");
  });

  test("is at most 512 bytes, and no text can end the sequence or a field early", () => {
    const part = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(esc, `${esc}\\`, "\u0007", ";", "\u009c", "\n", "4;3;99", ":", `${esc}]52;c;eA==\u0007`),
    );
    const text = fc.array(part, { maxLength: 9 }).map((parts) => parts.join("").toWellFormed());
    fc.assert(
      fc.property(fc.constantFrom(...protocols), text, text, (protocol, title, body) => {
        const short = { ...notice, title: cut(title, 64, "bytes"), body: cut(body, 140, "bytes") };
        const written = sequence(protocol, short);
        expect(Buffer.byteLength(written)).toBeLessThanOrEqual(512);
        const inner = written.split(`${esc}\\`);
        expect(inner.pop()).toBe("");
        for (const fragment of inner) {
          expect(fragment.startsWith(`${esc}]`)).toBe(true);
          expect(fragment.slice(1)).not.toMatch(/\p{Cc}/u);
          const limit = { osc9: 2, osc777: 4, osc99: 3, bell: 0 }[protocol];
          expect(fragment.split(";").length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});

describe("a visible notification", () => {
  const thread = { key: "0123456789abcdef".repeat(2) };
  /** Opens a terminal that records its input. */
  const open = (env: Readonly<Record<string, string>>, settings: object = {}, obstacle?: Obstacle) => {
    const written: string[] = [];
    const call = localCall(terminal.settings.parse({ bell: false, ...settings }), {});
    const write = async (text: string) => void written.push(text);
    const of = async () => ({ env, write, obstacle: async () => obstacle });
    return { written, call: { ...call, thread, ports: { ...call.ports, terminal: { of, here: of } } } };
  };
  const kitty = { TERM: "xterm-kitty" };

  test("by 99 is closed by its own id, also through tmux", async () => {
    const { written, call } = open({ ...kitty, TMUX: "/tmp/t,1,0" });
    const receipt = (await terminal.send(call)) as Receipt;
    expect(receipt).toEqual({ id: expect.stringMatching(new RegExp(`^${thread.key}-[0-9a-z]+$`)) });
    expect(written[0]).toContain(`]99;i=${receipt["id"]}:`);
    await terminal.withdraw?.({ ...call, receipt });
    expect(written[1]).toBe(passThrough(`${esc}]99;i=${receipt["id"]}:p=close;${esc}\\`, { TMUX: "x" }));
    const later = { ...call.ports.clock, now: () => Date.now() + 1 };
    expect(await terminal.send({ ...call, ports: { ...call.ports, clock: later } })).not.toEqual(receipt);
  });

  test.each([
    ["by 9", { TERM_PROGRAM: "WezTerm" }, {}],
    ["by 777", { TERM: "foot" }, {}],
    ["by 9 in kitty", kitty, { protocol: "osc9" }],
    ["in a terminal without notifications, which rings", { TERM: "xterm" }, { bell: true }],
  ])("%s has no receipt, and nothing is written to close it", async (_, env, settings) => {
    const { written, call } = open(env, settings);
    expect(await terminal.send(call)).toBeUndefined();
    await terminal.withdraw?.({ ...call, receipt: { id: "one" } });
    expect(written).toHaveLength(1);
  });

  test.each([{}, { id: 7 }, { id: "a;b" }, { id: `a${esc}\\` }, { id: "a:p=title" }, { id: "" }])(
    "is not closed by the receipt %j",
    async (receipt) => {
      const { written, call } = open(kitty);
      await terminal.withdraw?.({ ...call, receipt });
      expect(written).toEqual([]);
    },
  );

  test("rings if tmux blocks it, and without a bell says what to set, as doctor does", async () => {
    const tmux = { ...kitty, TMUX: "/tmp/t,1,0" };
    const obstacle = { message: "tmux keeps it", hint: "Set it." };
    const ringing = open(tmux, { bell: true }, obstacle);
    expect(await terminal.send(ringing.call)).toBeUndefined();
    expect(ringing.written).toEqual(["\u0007"]);
    expect(await terminal.verification?.check?.(ringing.call)).toEqual({ ...obstacle, remains: "bell only" });
    const silent = open(tmux, {}, obstacle);
    await expect(terminal.send(silent.call)).rejects.toMatchObject({ reason: "unsupported", ...obstacle });
    expect(silent.written).toEqual([]);
    expect(await terminal.verification?.check?.(silent.call)).toEqual(obstacle);
    const bell = open(tmux, { protocol: "bell", bell: true }, obstacle);
    expect(await terminal.verification?.check?.(bell.call)).toBeUndefined();
  });

  test("is not withdrawn once its terminal is gone, as it may still show", async () => {
    const { call } = open(kitty);
    const of = async () => undefined;
    const ports = { ...call.ports, terminal: { of, here: of } };
    const withdrawn = terminal.withdraw?.({ ...call, ports, receipt: { id: "one" } });
    await expect(withdrawn).rejects.toMatchObject({ reason: "unsupported" });
    expect(closing("one")).toBe(`${esc}]99;i=one:p=close;${esc}\\`);
  });
});
