import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { changeSnooze } from "../../actions/snooze.ts";
import { type SilenceFor, silenceJson } from "../../actions/snooze-words.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { say } from "../say.ts";

/** `beckon snooze`: messages to the person wait for a while. */
export const registerSnooze: RegisterCommand = (command, run) => {
  command
    .argument("[time...]", "how long (`30m`, `1h`), `until 14:00`, or `off`; without it, what is snoozed")
    .option("--project <name>", "only this project: the name of its folder, or a glob of paths")
    .option("--session <id>", "only this session; the beginning of its id is enough")
    .option("--notifier <name>", "only at this notifier")
    .option("--json", "print one JSON object")
    .action((time: string[], options: SnoozeOptions) => run((context) => runSnooze(time.join(" "), options, context)));
};

interface SnoozeOptions extends SilenceFor {
  readonly json?: boolean;
}

async function runSnooze(time: string, { json, ...options }: SnoozeOptions, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  if (time !== "") requireOwnRoot(context);
  const { silences, says } = await changeSnooze(time, options, paths, nowMs);
  if (json) print(JSON.stringify({ snoozed: silences.map(silenceJson) }));
  else for (const line of says) say(line, context, 2);
  return 0;
}
