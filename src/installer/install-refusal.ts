import { SettingsError } from "../core/errors.ts";
import type { InstallableAgent } from "./agents/installable.ts";
import type { PlanContext } from "./context.ts";
import { planAgent } from "./plan-agent.ts";

/** Returns the error with which an install into an agent's user settings would end now. Plans, and writes nothing. */
export async function installRefusal(
  agent: InstallableAgent,
  version: string | undefined,
  context: PlanContext,
): Promise<SettingsError | undefined> {
  try {
    await planAgent(agent, { scope: "user", events: undefined, waitSeconds: undefined, version }, context);
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
}
