import { switchAnswers } from "../../actions/answer.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { say } from "../say.ts";
import { describeAnswers } from "../status/describe-answers.ts";

/** Declares `beckon answers`: switches answering outside the agent on and off. */
export const registerAnswers: RegisterCommand = (command, run) => {
  command
    .command("on")
    .description("allow answers outside the agents again, as far as the configuration does")
    .action(() => run((context) => runSwitch("on", context)));
  command
    .command("off")
    .description(
      "leave all open requests to the agents' own dialogs, and allow no answers outside the agents until you switch them on",
    )
    .action(() => run((context) => runSwitch("off", context)));
  command
    .command("status", { isDefault: true })
    .description("show where you may answer, and the number of open requests")
    .action(() => run(showStatus));
};

async function runSwitch(to: "on" | "off", context: CliContext): Promise<number> {
  requireOwnRoot(context);
  switchAnswers(to, context.paths, context.now?.() ?? Date.now());
  return showStatus(context);
}

async function showStatus(context: CliContext): Promise<number> {
  for (const line of await describeAnswers(context)) say(line, context, 2);
  return 0;
}
