import { expect, test } from "vitest";
import { pathsOf } from "../../../src/core/paths.ts";
import { installable } from "../../../src/installer/agents/installable.ts";
import { wantedEntries } from "../../../src/installer/agents/wanted-entries.ts";

const home = "/home/u";

test("timeouts are in the agent's unit, and a wait makes them long enough", () => {
  const [agent] = installable;
  if (!agent) throw new Error("no agent");
  const inMs = { ...agent, settings: { ...agent.settings, timeoutUnit: "ms" as const } };
  const paths = pathsOf("/home/u/.beckon");
  const of = (waitSeconds: number) =>
    wantedEntries({ agent: inMs, events: ["Stop"], waitSeconds, paths, home, platform: "linux" }).get("Stop");
  expect(of(0)).toMatchObject({ timeout: 5000, leastTimeout: 0 });
  expect(of(8)).toMatchObject({ timeout: 10_000, leastTimeout: 10_000 });
});

test.each([
  ["codex", "SessionEnd", 10, 1, 3],
  ["codex", "Stop", 10, 10, 12],
  ["kimi", "Stop", 600, 598, 600],
  ["claude", "SessionEnd", 600, 600, 602],
])(
  "%s: %s with a wait of %d s waits %d and asks for %d, no more than the agent takes",
  (name, nativeEvent, wait, waits, timeout) => {
    const agent = installable.find((each) => each.name === name);
    if (!agent) throw new Error("no agent");
    const paths = pathsOf("/home/u/.beckon");
    const request = {
      agent,
      events: [nativeEvent],
      waitSeconds: wait,
      paths,
      home: "/home/u",
      platform: "linux",
    } as const;
    expect(wantedEntries(request).get(nativeEvent)).toMatchObject({
      command: `~/.beckon/hook ${nativeEvent} --agent ${name} --wait ${waits} || :`,
      timeout,
      leastTimeout: timeout,
    });
  },
);

test("no prompt waits, whatever the wait: nothing is delivered of it", () => {
  const agent = installable.find((each) => each.name === "qwen");
  if (!agent) throw new Error("no agent");
  const paths = pathsOf("/home/u/.beckon");
  const wanted = wantedEntries({ agent, events: undefined, waitSeconds: 10, paths, home, platform: "linux" });
  expect(wanted.get("UserPromptSubmit")).toMatchObject({
    command: "~/.beckon/hook UserPromptSubmit --agent qwen || :",
    timeout: 5000,
    leastTimeout: 0,
  });
  expect(wanted.get("Stop")?.command).toContain("--wait 10");
});
