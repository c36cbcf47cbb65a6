import { resolve } from "node:path";
import { Option } from "commander";
import { maxBodyChars, type OwnMessage, sendMessage } from "../../actions/send-message.ts";
import { UsageError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { type Kind, kinds } from "../../core/vocabulary.ts";
import { expandHome } from "../../files/paths.ts";
import { cleanLine } from "../../text/clean.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { addExamples } from "../options.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";

/** Declares `beckon send`: sends a message that the user writes. */
export const registerSend: RegisterCommand = (command, run) => {
  addExamples(command, {
    'beckon send "Backup done"': "say that something has finished",
    'beckon send "Deploy waits" "Approve build 42?" --kind needs-you --session deploy': "ask for something",
    'beckon send "Deployed" --session deploy': "say that it is done, which resolves the request",
    "tail -5 log | beckon send Failed - --kind failed --to phone": "send standard input as the text, to one notifier",
  });
  command
    .argument("<title>", "title of the message")
    .argument("[body]", "text below the title; - reads it from standard input")
    .addOption(new Option("--kind <kind>", "kind of the message").choices(kinds).default("finished"))
    .option("--project <folder>", "folder or name of the project; default: the current folder")
    .option("--session <id>", "id that groups messages: one of kind finished or failed resolves an earlier needs-you")
    .option("--to <notifier...>", "only these notifiers, whatever the routes say; write them after the title")
    .option("--json", "print one JSON object")
    .action((title: string, body: string | undefined, options: SendOptions) =>
      run((context) => runSend({ title, body }, options, context)),
    );
};

interface SendOptions extends JsonOption {
  readonly kind: Kind;
  readonly project?: string;
  readonly session?: string;
  readonly to?: readonly string[];
}

/** Runs `beckon send`. Prints nothing to people, so that cron sends no mail. @throws {UsageError} {CommandError} */
async function runSend(
  { title, body }: Pick<OwnMessage, "title" | "body">,
  { kind, project, session, to, json }: SendOptions,
  context: CliContext,
): Promise<number> {
  const { paths, environment, print } = context;
  if (cleanLine(title ?? "") === "")
    throw new UsageError("the title is empty", 'Write it first: beckon send "Backup done"');
  if (session !== undefined && cleanLine(session) === "")
    throw new UsageError("the session is empty", "Give it an id of your choice, or leave --session out.");
  if (to) await checkNotifiers(to, context);
  const text = body === "-" ? await readStandardInput() : body;
  const folder = resolve(environment.project, expandHome(project ?? "."));
  const sent = await sendMessage(
    { kind, title, body: text, sessionId: session, folder, ...omitUndefined({ to }) },
    { paths, env: environment.env },
  );
  if (json) print(jsonLine({ ...sent, kind }));
  return 0;
}

/** Checks that notifiers are configured and free of errors. @throws {UsageError} */
async function checkNotifiers(names: readonly string[], { paths }: CliContext): Promise<void> {
  const { loadConfig } = await import("../../config/load.ts");
  const { notifiers, disabled } = await loadConfig(paths.config);
  for (const name of names.filter((each) => !notifiers.has(each))) {
    if (disabled.includes(name))
      throw new UsageError(`the notifier ${cleanLine(name)} has an error in the configuration`, "See `beckon doctor`.");
    throw new UsageError(`there is no notifier ${cleanLine(name)}`, didYouMean(name, [...notifiers.keys()]));
  }
}

/** Reads standard input to its end, or to the longest text that is sent. */
async function readStandardInput(): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of process.stdin) {
    text += decoder.decode(chunk as Buffer, { stream: true });
    if (text.length >= maxBodyChars) break;
  }
  return text;
}
