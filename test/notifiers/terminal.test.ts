import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cut } from "../../src/core/cut.ts";
import { passThrough, protocolOf, protocols, sequence } from "../../src/notifiers/terminal.ts";

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
    [{ TERM: "foot-extra" }, "osc777"],
    [{ TERM: "rxvt-unicode-256color" }, "osc777"],
    [{ TERM: "xterm-256color" }, "bell"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", LC_TERMINAL: "iTerm2" }, "osc9"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", GHOSTTY_RESOURCES_DIR: "/usr/share/ghostty" }, "osc9"],
    [{ TERM: "screen", WEZTERM_EXECUTABLE: "/usr/bin/wezterm-gui" }, "osc9"],
    [{ TERM: "tmux-256color", TERM_PROGRAM: "tmux", LC_TERMINAL: "other" }, "bell"],
    [{}, "bell"],
  ] as const)("for %j is %s", (env, protocol) => {
    expect(protocolOf(env)).toBe(protocol);
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

  test("is complete and at most 512 bytes for any text, which ends neither it nor a field early", () => {
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
        for (const one of inner) {
          expect(one.startsWith(`${esc}]`)).toBe(true);
          expect(one.slice(1)).not.toMatch(/\p{Cc}/u);
          const limit = { osc9: 2, osc777: 4, osc99: 3, bell: 0 }[protocol];
          expect(one.split(";").length).toBeLessThanOrEqual(limit);
        }
      }),
    );
  });
});
