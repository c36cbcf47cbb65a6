import { loadConfig } from "../../../config/load.ts";
import type { Paths } from "../../../files/paths.ts";
import type { Asking } from "../../../installer/context.ts";

/** Reads from the configuration which agents' hooks wait for the user's answer; undefined if none do. */
export async function readAsking({ config }: Pick<Paths, "config">): Promise<Asking | undefined> {
  const { answers } = await loadConfig(config);
  return answers && { agents: answers.agents, waitSeconds: Math.ceil(answers.wait / 1000) };
}
