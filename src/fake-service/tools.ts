import { dayText } from "./calendar.ts";
import { shares } from "./random.ts";
import type { Usage } from "./usage.ts";

/** Names of tools. One of them is a parsing artifact, as documented. */
const tools = ["Read", "Edit", "Execute", "Grep", "LS", 'Read</invoke name="'] as const;
const toolWeights = [40, 25, 20, 10, 5, 0.006] as const;

const byTool = (calls: number) =>
  shares(calls, toolWeights).map((invocations, n) => ({ tool: tools[n] ?? "", invocations }));

/** Splits `count` among names. */
const named = (count: number, names: readonly string[]) =>
  shares(
    count,
    names.map((_, n) => names.length - n),
  ).map((part, n) => ({ name: names[n] ?? "", count: part }));

/** Divides `count` by `shareOf`; 0 if `shareOf` is 0. */
const ratio = (count: number, shareOf: number): number => (shareOf === 0 ? 0 : count / shareOf);

function quantile(sorted: readonly number[], at: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? 0;
}

/** Makes the row of `/tools` for a day. */
export function toolUsageRow(usages: readonly Usage[], day: number) {
  const sum = (count: (entry: Usage) => number) => usages.reduce((total, entry) => total + count(entry), 0);
  const [calls, sessions, turns] = [
    sum(({ toolCalls }) => toolCalls),
    sum((entry) => entry.sessions),
    sum((entry) => entry.userMessages),
  ];
  const ratios = usages.map(({ toolCalls, userMessages }) => ratio(toolCalls, userMessages)).sort((a, b) => a - b);
  const mcp = shares(
    sum(({ mcpCalls }) => mcpCalls),
    [5, 2, 1],
  );
  const [skills, slashes, hooks] = [
    sum((entry) => entry.skillCalls),
    sum((entry) => entry.slashCommands),
    sum((entry) => entry.hooks),
  ];
  const hookCommands = named(hooks, ["PostToolUse", "Stop", "Notification"]);
  const level = (name: string) => {
    const own = sum(({ person, toolCalls }) => (person.delegation === name ? toolCalls : 0));
    return ratio(own, calls);
  };
  return {
    date: dayText(day),
    tool_calls: calls,
    by_tool: byTool(calls),
    mcp_users_with_mcp: usages.filter(({ mcpCalls }) => mcpCalls > 0).length,
    // One server appears twice, with different case, as documented.
    mcp_by_server: ["Tracker", "tracker", "docs"].map((server, n) => ({ server, invocations: mcp[n] ?? 0 })),
    skills_invocations: skills,
    skills_by_name: named(skills, ["review", "release-notes"]),
    slash_commands_invocations: slashes,
    slash_commands_by_name: named(slashes, ["/review", "/compact", "/model"]),
    hooks_invocations: hooks,
    hooks_by_event: hookCommands.map(({ name, count }) => ({
      event: name,
      matcher: name === "PostToolUse" ? "Edit|Write" : "",
      command: `~/.beckon/hook ${name}`,
      count,
    })),
    web_users: usages.filter(({ person }) => person.clients.includes("web")).length,
    autonomy_ratio_avg: ratio(calls, turns),
    autonomy_ratio_p50: quantile(ratios, 0.5),
    autonomy_ratio_p90: quantile(ratios, 0.9),
    tool_calls_per_session_avg: ratio(calls, sessions),
    user_turns_per_session_avg: ratio(turns, sessions),
    tool_autonomy_level_ratio: {
      auto_high: level("auto-high"),
      auto_medium: level("auto-medium"),
      auto_low: level("auto-low"),
      manual: 1 - level("auto-high") - level("auto-medium") - level("auto-low"),
    },
  };
}

/** Makes the rows of `/tools` for a day, one for each tool. */
export function toolUsageByTool(usages: readonly Usage[], day: number) {
  const calls = usages.reduce((total, entry) => total + entry.toolCalls, 0);
  return byTool(calls).map(({ tool, invocations }) => ({
    date: dayText(day),
    group_key: tool,
    tool_calls: invocations,
  }));
}
