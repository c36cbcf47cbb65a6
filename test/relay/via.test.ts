import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { runBeckon, startServing } from "../../src/relay/via.ts";

const options = "-o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=5 -o ServerAliveCountMax=3";
const started = (...via: string[]) => {
  const { file, args, script } = startServing(via);
  return [[file, ...args].join(" "), script === undefined ? "as it is" : "by a shell"];
};

test.each([
  [
    ["ssh", "devbox"],
    [`ssh -T ${options} devbox sh`, "by a shell"],
  ],
  [
    ["/usr/bin/ssh", "-p", "2222", "ann@devbox"],
    [`/usr/bin/ssh -T ${options} -p 2222 ann@devbox sh`, "by a shell"],
  ],
  [
    ["ssh", "-oBatchMode=no", "-o", "ConnectTimeout=60", "devbox"],
    [
      "ssh -T -o ServerAliveInterval=5 -o ServerAliveCountMax=3 -oBatchMode=no -o ConnectTimeout=60 devbox sh",
      "by a shell",
    ],
  ],
  [
    ["docker", "exec", "-i", "box"],
    ["docker exec -i box sh", "by a shell"],
  ],
  [
    ["docker", "exec", "-i", "box", "beckon"],
    ["docker exec -i box beckon relay serve --stdio", "as it is"],
  ],
  [
    ["my-tunnel", "beckon", "relay", "serve", "--stdio"],
    ["my-tunnel beckon relay serve --stdio", "as it is"],
  ],
])("%j starts the other end by %j", (via, expected) => {
  expect(started(...via)).toEqual(expected);
});

test.each(["sh", "bash", "dash"])(
  "the script runs the installed beckon in %s, with what it reads after it",
  (shell) => {
    const script = `BECKON_HOME=/nowhere; beckon() { :; }; PATH=/nowhere\n${runBeckon(["relay", "serve", "--stdio"])}`;
    const { stderr, status } = spawnSync(shell, { input: script, encoding: "utf8" });
    expect(status).toBe(127);
    expect(stderr).toMatch(/beckon: .*not found/);
  },
);
