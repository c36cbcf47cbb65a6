import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { agents } from "../../src/agents/registry.ts";
import { withNeutralReplies } from "../../src/docs/neutral-replies.ts";
import { neutralReplies } from "../../src/hook/neutral-replies.ts";
import { repository } from "../world/home.ts";

const launcher = readFileSync(`${repository}/hooks/hook.sh`, "utf8");

test("each agent's reply is in both, and no other", () => {
  const declared = agents.flatMap(({ name, neutralReply }) => (neutralReply ? [[name, neutralReply] as const] : []));
  expect(neutralReplies).toEqual(Object.fromEntries(declared));
  const [reply = ""] = /^reply\(\) \{\n[\s\S]*?^\}/m.exec(launcher) ?? [];
  const printed = (agent: string) => execFileSync("sh", ["-c", `${reply}\nagent=$1\nreply`, "sh", agent]).toString();
  for (const { name, neutralReply = "" } of agents) expect(printed(name), name).toBe(neutralReply);
});

test("a launcher without the marks is an error", () => {
  expect(() => withNeutralReplies("reply() { :; }\n")).toThrow("lacks the marks");
});
