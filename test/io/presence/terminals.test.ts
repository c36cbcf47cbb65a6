import { expect, test } from "vitest";
import { parseFocus } from "../../../src/io/presence/kitty.ts";
import { parseClients } from "../../../src/io/presence/tmux.ts";
import { parseWeztermClients } from "../../../src/io/presence/wezterm.ts";

const features = ",bpaste,ccolour,focus,title,";

test.each([
  ["shows the pane", `1 %3 0 ,attached,focused,UTF-8, ${features}`, [{ pid: 1 }]],
  ["shows another pane", `1 %4 1 ,attached,focused, ${features}`, []],
  ["shows a pane whose number only begins so", `1 %33 1 ,attached,focused, ${features}`, []],
  ["reports its focus", `1 %3 1 ,attached,focused, ${features}`, [{ pid: 1, reportsFocus: true }]],
  ["reports that it has none", `1 %3 1 ,attached, ${features}`, [{ pid: 1, reportsFocus: false }]],
  ["has a terminal that never reports", "1 %3 1 ,attached,focused, ,bpaste,title,", [{ pid: 1 }]],
  ["is drawn by another program", `1 %3 1 ,attached,focused,control-mode, ${features}`, []],
  ["is no line of tmux'", "protocol version mismatch (client 8, server 7)", []],
])("a client of tmux that %s", (_, line, expected) => {
  expect(parseClients(line, "%3")).toEqual(expected);
});

test("of several clients of tmux all that show the pane count", () => {
  const output = `1 %3 1 ,attached, ${features}\n2 %3 1 ,attached,focused, ${features}\n3 %4 1 ,attached, ${features}\n`;
  expect(parseClients(output, "%3").map(({ pid }) => pid)).toEqual([1, 2]);
});

const kittyReply = (osWindow: boolean, tab: boolean, window: boolean): string => {
  const windows = [{ id: 5, is_focused: window }];
  const data = [{ id: 1, is_focused: osWindow, tabs: [{ id: 2, is_focused: tab, windows }] }];
  return `\u001bP@kitty-cmd${JSON.stringify({ ok: true, data: JSON.stringify(data) })}\u001b\\`;
};

test("a window of kitty has the focus where its tab and its OS window have it too", () => {
  expect(parseFocus(kittyReply(true, true, true), 5)).toBe(true);
  expect(parseFocus(kittyReply(false, true, true), 5)).toBe(false);
  expect(parseFocus(kittyReply(true, false, true), 5)).toBe(false);
  expect(parseFocus(kittyReply(true, true, false), 5)).toBe(false);
});

test.each([
  ["does not know the window", kittyReply(true, true, true), 6],
  ["allows no remote control", '\u001bP@kitty-cmd{"ok":false,"error":"Remote control is disabled"}\u001b\\', 5],
  ["says something else", "\u001bP@kitty-cmd[]\u001b\\", 5],
  ["is no kitty", "HTTP/1.1 400 Bad Request", 5],
])("a kitty that %s tells nothing", (_, reply, window) => {
  expect(parseFocus(reply, window)).toBeUndefined();
});

test("of WezTerm's clients those count that have the focus on the pane, whichever comes first", () => {
  const clients = [
    { username: "dev", pid: 11, focused_pane_id: 0, idle_time: { secs: 100, nanos: 0 } },
    { username: "dev", pid: 12, focused_pane_id: 3, idle_time: { secs: 0, nanos: 1 } },
    { username: "dev", pid: "13", focused_pane_id: 3 },
    { username: "dev", pid: 14, focused_pane_id: null },
  ];
  expect(parseWeztermClients(JSON.stringify(clients), 3)).toEqual([12]);
  for (const odd of ["", "null", "{}", "[", '{"pid":12,"focused_pane_id":3}'])
    expect(parseWeztermClients(odd, 3)).toEqual([]);
});
