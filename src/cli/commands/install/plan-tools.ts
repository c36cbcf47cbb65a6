import { catchSettingsError } from "../../../core/errors.ts";
import { serverWords } from "../../../installer/beckon-commands.ts";
import type { AgentPlan } from "../../../installer/plan-agent.ts";
import { planServer } from "../../../installer/plan-server.ts";
import type { Survey } from "../../../installer/survey.ts";
import type { InstalledFile } from "../../output/setup-outputs.ts";
import { shellPath } from "../../short-path.ts";
import type { InstallPlanContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";
import { printRefusal } from "./print-plan.ts";

/** Plans to register beckon's tools with agents. */
export interface ToolPlans {
  readonly plans: readonly AgentPlan[];
  readonly refused: readonly InstalledFile[];
  /** Instructions for agents with which beckon cannot register its tools. */
  readonly notes: readonly string[];
}

/** Plans to register beckon's tools with agents, if the user asked for it. Prints refusals. */
export async function planTools(
  chosen: readonly Survey[],
  { mcp }: Pick<InstallOptions, "mcp">,
  context: InstallPlanContext,
): Promise<ToolPlans> {
  if (!mcp) return { plans: [], refused: [], notes: [] };
  const plans: AgentPlan[] = [];
  const refused: InstalledFile[] = [];
  const others: string[] = [];
  for (const { agent } of chosen) {
    const error = await catchSettingsError(async () => {
      const plan = await planServer(agent, context);
      if (plan) plans.push(plan);
      else others.push(agent.title);
    });
    if (!error) continue;
    refused.push({ agent: agent.name, path: error.file, result: "refused", message: error.message });
    printRefusal(context, error);
  }
  const [file = "", ...args] = serverWords(context.paths);
  const command = ["node", shellPath(file, context.environment), ...args].join(" ");
  const note = `--mcp does not work for ${others.join(", ")}. Add an MCP server with this command there: ${command}`;
  return { plans, refused, notes: others.length > 0 ? [note] : [] };
}
