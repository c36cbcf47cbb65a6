import { expect, test } from "vitest";
import { bestClient } from "../../../src/io/focus/tmux.ts";

const shown = "11 1700000001 $1 /dev/pts/3 ,attached,focused,UTF-8,";
const newest = "12 1700000009 $2 /dev/pts/4 ,attached,";
const older = "13 1700000005 $2 /dev/pts/5 ,attached,";

test.each<[string, readonly string[], number | undefined]>([
  ["the one that shows the session", [newest, shown, older], 11],
  ["else the one used last", [older, newest], 12],
  ["none in control mode", ["14 1700000001 $1 /dev/pts/6 ,attached,control-mode,"], undefined],
  ["none whose terminal is no terminal", ["15 1700000001 $1 /dev/pts/6;kill-server ,attached,"], undefined],
  ["none where there is none", [""], undefined],
])("a pane is shown by %s", (_, lines, pid) => {
  expect(bestClient(lines.join("\n"), "$1")?.pid).toBe(pid);
});
