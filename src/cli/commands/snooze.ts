import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { changeSnooze, type SilenceScope, silenceJson } from "../../actions/snooze.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { expandHome } from "../../files/paths.ts";
import { isPattern } from "../../text/glob.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { nameProject, warnOfProject, warnOfSession } from "../named-project.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { say } from "../say.ts";

/** Declares `beckon snooze`: pauses or resumes notifications. */
export const registerSnooze: RegisterCommand = (command, run) => {
  addExamples(command, {
    "beckon snooze 1h": "pause all notifications for an hour",
    "beckon snooze until 14:00": "pause all notifications until 14:00",
    "beckon snooze 30m --project shop": "pause one project only",
    "beckon snooze off": "resume all notifications",
  });
  command
    .argument("[time...]", "`30m`, `1h`, `until 14:00`, or `off` to resume; default: show what is snoozed")
    .option("--project <name>", "only this project: its name, its folder, or a glob that matches its path")
    .option("--session <id>", "only this session, by its id or the start of it")
    .option("--notifier <name>", "only this notifier")
    .option("--json", "print one JSON object")
    .action((time: string[], options: SnoozeOptions) => run((context) => runSnooze(time.join(" "), options, context)));
};

type SnoozeOptions = SilenceScope & JsonOption;

async function runSnooze(time: string, { json, ...options }: SnoozeOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now();
  if (time !== "") requireOwnRoot(context);
  const named = isPattern(options.project ?? "") ? undefined : nameProject(options.project, context);
  if (options.session !== undefined && time !== "" && time !== "off") warnOfSession(options.session, context);
  const project = named ? (named.folder ?? named.name) : options.project && expandHome(options.project);
  const scope = { ...options, ...omitUndefined({ project }) };
  const { silences, messages } = await changeSnooze(time, scope, paths, nowMs);
  if (json) print(jsonLine({ snoozed: silences.map(silenceJson) }));
  else for (const line of messages) say(line, context, 2);
  if (time !== "off") warnOfProject(named, context);
  return 0;
}
