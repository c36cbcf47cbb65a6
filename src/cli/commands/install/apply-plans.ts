import { SettingsError } from "../../../core/errors.ts";
import { applyInstall, applyUninstall } from "../../../installer/apply.ts";
import type { InstallContext } from "./context.ts";
import type { AgentPlan } from "../../install/jobs.ts";
import { sayRefusal } from "./print-plan.ts";

/** Whether a plan writes to any settings file. */
export function changesAnything({ main, others }: AgentPlan): boolean {
  return main.planned.changes || others.length > 0;
}

/** Writes the files; returns the plans that came true. */
export async function applyAll(plans: readonly AgentPlan[], context: InstallContext): Promise<AgentPlan[]> {
  const applied: AgentPlan[] = [];
  for (const plan of plans) {
    const { agent, main, others } = plan;
    try {
      const { changes, snapshot } = await applyInstall(context.paths, main.job);
      for (const { job } of others) await applyUninstall(context.paths, job);
      context.print(`${agent.title}: ${changes ? "hooks written to" : "hooks are already in"} ${snapshot.path}`);
      applied.push(plan);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      sayRefusal(context, error, agent);
    }
  }
  return applied;
}
