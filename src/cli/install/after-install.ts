import { SettingsError } from "../../core/errors.ts";
import { previewInstall } from "../../installer/apply.ts";
import { commandLine } from "../../installer/agents/command-line.ts";
import type { WantedEntry } from "../../installer/editors/editor.ts";
import { inspectAgent } from "../../installer/inspect.ts";
import type { OwnCommands } from "../../installer/beckon-commands.ts";
import { readTrust } from "../agents/trust.ts";
import { changesAnything } from "../commands/install/apply-plans.ts";
import { type InstallContext, placeOf } from "../commands/install/context.ts";
import { installable } from "../../installer/agents/installable.ts";
import type { AgentPlan } from "./jobs.ts";
import { sendSample, showSample } from "../commands/install/sample-event.ts";

/** One event through the first agent's own command line, or through the launcher where there is no agent yet. */
export async function tryOut(plans: readonly AgentPlan[], context: InstallContext): Promise<void> {
  if (context.env["BECKON_DISABLE"] === "1") {
    context.print("No sample event was sent: BECKON_DISABLE=1 is set, and switches every hook off.");
    return;
  }
  const wanted = plans[0]?.main.job.wanted ?? new Map<string, WantedEntry>();
  const event = "Notification";
  const firing = wanted.size === 0 || wanted.has(event) ? event : String([...wanted.keys()][0]);
  const bare = () => commandLine({ ...context, agent: undefined, firing: event, event, waitSeconds: 0 });
  const outcome = await sendSample(wanted.get(firing)?.command ?? bare(), firing, context);
  for (const line of showSample(outcome, context.sampleWaitMs)) context.print(line);
}

/** Whether hooks are gone again: an agent that runs may write its settings back from memory, as they were. */
export async function reportLost(plans: readonly AgentPlan[], context: InstallContext): Promise<boolean> {
  let lost = false;
  for (const { agent, main } of plans) {
    const now = await previewInstall(context.paths, main.job).catch((error: unknown) => {
      if (error instanceof SettingsError) return undefined;
      throw error;
    });
    if (now && !now.changes) continue;
    lost = true;
    context.print(
      `${agent.title} has rewritten ${main.job.file.path} meanwhile and beckon's hooks are gone from it. ` +
        `Close ${agent.title} and run this again.`,
    );
  }
  return lost;
}

/** What is left for the user to do before hooks run: a restart, a folder's trust, a review in the agent. */
export async function sayStillNeeded(plans: readonly AgentPlan[], own: OwnCommands, context: InstallContext) {
  const place = placeOf(context);
  const lines: string[] = [];
  for (const plan of plans) {
    const { agent } = plan;
    const files = await inspectAgent(agent, place, own);
    const trust = await readTrust({ agent, place, files: files.filter(({ exists }) => exists), own });
    const isNew = changesAnything(plan);
    const steps = isNew ? agent.settings.afterInstall : trust?.state === "untrusted" ? [trust.cure ?? ""] : [];
    lines.push(...steps.map((sentence) => `  ${agent.title}: ${sentence}`));
  }
  if (lines.length > 0) context.print(["", "Still needed:", ...lines].join("\n"));
}

/** What to do where there is no agent yet. */
export function sayNoAgent({ print }: InstallContext): void {
  const titles = installable.map(({ title, name }) => `${title} (--agent ${name})`).join(", ");
  print(
    `No agent has been used on this machine yet. Once one has, run \`beckon install\` again, or name it: ${titles}.`,
  );
}
