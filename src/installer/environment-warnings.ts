import { inspectAgent } from "./inspect.ts";
import type { OwnCommands } from "./beckon-commands.ts";
import { eachOnce, readBeside, readSwitches, type ThrownSwitch } from "./agents/hook-switches.ts";
import { tooOldFor } from "./agents/program.ts";
import { type InstallContext, placeOf } from "../cli/commands/install/context.ts";
import { installable } from "./agents/installable.ts";
import type { AgentPlan } from "../cli/install/jobs.ts";
import type { Survey } from "./survey.ts";

interface Known {
  readonly program: Survey["program"];
  readonly own: OwnCommands;
  /** The agents that this install is for. */
  readonly chosen: readonly string[];
}

/** What makes an agent's hooks fire twice, or not at all, although its own file is as it should be. */
export async function surroundings(plan: AgentPlan, known: Known, context: InstallContext): Promise<string[]> {
  const { program, own } = known;
  const { agent, main } = plan;
  const files = await inspectAgent(agent, placeOf(context), own);
  const switches = await readSwitches(agent, placeOf(context), own);
  const beside = files.flatMap(({ file, offSwitches }) =>
    offSwitches.map((setting): ThrownSwitch => ({ path: file.path, setting })),
  );
  const planned = [main, ...plan.others].map(({ planned: { snapshot } }) => snapshot.target);
  const elsewhere = files.filter(
    ({ scope, target, own: ours }) => scope !== main.job.scope && !planned.includes(target) && ours.length > 0,
  );
  return [
    ...oldProgram(plan, program),
    ...eachOnce([...beside, ...switches]).map(
      ({ path, setting, isOurs }) =>
        `${path}: \`${setting}\` switches ${isOurs ? "hooks of beckon's" : `all of ${agent.title}'s hooks`} off.`,
    ),
    ...elsewhere.map(
      ({ file, scope }) =>
        `${file.path} has beckon's hooks as well: where both apply, an event may fire twice, and beckon drops the second. To have one, run: beckon uninstall --agent ${agent.name} --scope ${scope}`,
    ),
    ...(await readBeside(agent, placeOf(context))).map(({ path, effect }) => `${path} holds hooks too. ${effect}.`),
    ...(await lent(plan, known, context)),
  ];
}

function oldProgram({ agent }: AgentPlan, program: Survey["program"]): string[] {
  const tooOld = tooOldFor(agent, program?.version);
  return tooOld === undefined ? [] : [`${agent.title} ${tooOld}. Update it.`];
}

/** Some agents run the hooks in another's settings as well as their own, and not all tell whose they are. */
async function lent({ agent, main }: AgentPlan, { own, chosen }: Known, context: InstallContext): Promise<string[]> {
  if (agent.isOwn) return [];
  const loans = (agent.settings.alsoRuns ?? []).map(async ({ agent: name, scopes }) => {
    const lender = installable.find((each) => each.name === name);
    const files = lender ? await inspectAgent(lender, placeOf(context), own) : [];
    const isThere = files.some(({ scope, own: ours }) => scopes.includes(scope) && ours.length > 0);
    const isTwice = isThere || (chosen.includes(name) && scopes.includes(main.job.scope));
    return isTwice ? [`${agent.title} also runs the hooks of ${lender?.title}: its events may come in twice.`] : [];
  });
  return (await Promise.all(loans)).flat();
}
