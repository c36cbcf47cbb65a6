import { findAnswerObstacle } from "../../../../actions/assess-notifiers.ts";
import { requireOwnRoot } from "../../../../actions/require-own-root.ts";
import { agents } from "../../../../agents/registry.ts";
import type { Config } from "../../../../config/config.ts";
import { loadConfig } from "../../../../config/load.ts";
import { isAlwaysSerial } from "../../../../core/agent.ts";
import { CommandError } from "../../../../core/errors.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { explainExposure } from "../../../../files/root-access.ts";
import { docsPage } from "../../../../text/version.ts";
import type { CliContext } from "../../../context.ts";
import { type Choice, type Dialog, findDialog } from "../../../dialog.ts";
import { sayIfCancelled } from "../../../errors.ts";
import type { JsonOption } from "../../../output/json-line.ts";
import { createCliPorts } from "../../../ports.ts";
import { say, shortPath } from "../../../say.ts";
import { explainMissingFolder, runConfigSet } from "../change.ts";

/** Agents whose requests can be answered elsewhere; first those whose own dialog stays open meanwhile. */
const answerable = agents
  .filter(({ permissionHook }) => typeof permissionHook === "object")
  .toSorted((a, b) => Number(isAlwaysSerial(a)) - Number(isAlwaysSerial(b)));

/** Runs `beckon config add answers`: asks whose requests may be answered outside the agent, and where. */
export async function runAddAnswers(
  { json }: JsonOption,
  context: CliContext,
  dialog: Dialog | undefined = findDialog(),
): Promise<number> {
  requireOwnRoot(context);
  const config = await loadConfig(context.paths.config);
  const { answers } = config;
  const exposure = explainExposure(context.paths, []);
  if (exposure !== undefined) throw new CommandError(`answers cannot work here: ${exposure}`, "More: beckon doctor");
  if (answers) throw new CommandError("answers are set up already", "To change them: beckon config edit");
  if (!dialog || json) {
    const example = JSON.stringify({ agents: answerable.slice(0, 1).map(({ name }) => name), projects: ["~/code/**"] });
    const hint = `Without one: beckon config set answers '${example}'`;
    throw new CommandError("the questions need a terminal", hint);
  }
  say(`A forged answer runs a command on this machine. Before you go on, read ${docsPage("answers")}.`, context);
  const settings = await sayIfCancelled(
    () => askSettings(config, context, dialog),
    context,
    () => "Nothing was saved.",
  );
  say("Requests will be held while you are away (answers.when).", context);
  await runConfigSet("answers", JSON.stringify(settings), {}, context);
  return 0;
}

async function askSettings(config: Config, context: CliContext, dialog: Dialog) {
  const { notifiers } = config;
  const { environment, paths } = context;
  const asked = answerable.map(({ name, title }) => ({ value: name, label: title }));
  const usual = asked.slice(0, 1).map(({ value }) => value);
  const chosen = await dialog.selectMany("Whose requests do you want to answer elsewhere?", asked, usual);
  const folder = await dialog.text("In which folder (/** for subfolders)? Requests elsewhere stay with the agent.", {
    secret: false,
    suggestion: `${shortPath(environment.project, environment)}/**`,
    check: (text) => (text.trim() === "" ? undefined : explainMissingFolder(text.trim())), // empty: the suggestion
  });
  const choices: Choice[] = [];
  for (const [value, { notifier }] of notifiers) {
    if (!notifier.lifecycle?.answers) continue;
    const obstacle = await findAnswerObstacle(value, config, { paths, ports: createCliPorts(paths) });
    if (obstacle === undefined) choices.push({ value });
    else say(`You cannot answer with ${value}: ${obstacle}.`, context);
  }
  const question = "Where may you allow and deny, besides `beckon answer` and the board?";
  const where = choices.length === 0 ? [] : await dialog.selectMany(question, choices, []);
  const from: Record<string, unknown> = {};
  for (const name of where) {
    const may = ["deny", "allow"];
    const isShared = notifiers.get(name)?.notifier.lifecycle?.answers?.reader !== undefined;
    from[name] = isShared ? { users: [await askId(name, dialog)], may } : may;
  }
  const own = where.length > 0 ? from : undefined;
  return omitUndefined({ agents: chosen, projects: [folder.trim()], from: own });
}

async function askId(name: string, dialog: Dialog): Promise<number> {
  const check = (id: string) => (/^[1-9]\d{0,15}$/.test(id.trim()) ? undefined : "It must be a number.");
  const question = `Your numeric id at ${name}: only you may press its buttons. @userinfobot tells it in Telegram.`;
  return Number(await dialog.text(question, { secret: false, check }));
}
