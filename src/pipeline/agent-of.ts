import { agentNamed, agents } from "../agents/registry.ts";
import type { Agent } from "../core/agent.ts";

/**
 * Whose event it is: as `--agent` says, unless another agent ran the hook out of that one's settings; without it, as far
 * as the payload tells.
 */
export function agentOf(
  named: string | undefined,
  payload: Readonly<Record<string, unknown>>,
  firing: string,
  transcriptPath: string | undefined,
): Agent | undefined {
  const runs = ({ settings }: Agent) => settings?.alsoRuns?.some(({ agent }) => agent === named) ?? false;
  const runner = agents.find((agent) => (named === undefined || runs(agent)) && agent.isOwn?.(payload));
  if (runner) return runner;
  return agentNamed(named ?? "") ?? guessAgent(firing, transcriptPath?.replaceAll("\\", "/"));
}

function guessAgent(firing: string, transcriptPath: string | undefined): Agent | undefined {
  const byTranscript = transcriptPath && agents.find(({ footprint }) => transcriptPath.includes(footprint));
  if (byTranscript) return byTranscript;
  const byFiring = agents.filter(({ firings }) => Object.hasOwn(firings, firing));
  return byFiring.length === 1 ? byFiring[0] : undefined;
}
