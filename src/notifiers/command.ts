import { basename, isAbsolute } from "node:path";
import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import type { Message } from "../core/message.ts";
import { defineNotifier } from "../core/notifier.ts";
import type { ChangeCall, NotifierCall } from "../core/notifier-call.ts";
import { programArgument } from "../core/secret.ts";
import { duration } from "../text/duration.ts";
import { stateMessage, stateReceipt, statesSetting } from "./shared/states.ts";
import { stateBody, type WebhookBody, webhookBody } from "./shared/webhook-body-schema.ts";

/** Exit code for a temporary failure, EX_TEMPFAIL in sysexits.h. */
const temporaryFailureExitCode = 75;

/** Number of lines kept from the end of a program's standard error. A traceback names its error in the last lines. */
const maxStderrLines = 6;

const program = z
  .string()
  .refine(
    (file) => isAbsolute(file) || (file !== "" && file === basename(file)),
    "must be an absolute path, or the name of a program on PATH",
  );

const settingsSchema = z.strictObject({
  run: z
    .tuple([program], programArgument())
    .describe("Program (absolute path, or name on PATH) and its arguments; no shell."),
  timeout: duration({ min: "1ms", max: "60s" })
    .prefault("10s")
    .describe("Time after which the program and its child processes are stopped; at most `60s`."),
  states: statesSetting,
});
type Settings = z.output<typeof settingsSchema>;

export const command = defineNotifier({
  name: "command",
  summary: "Runs your own program with the event as JSON on standard input.",
  source: "https://man.openbsd.org/sysexits.3",
  guide: async () => ({ where: { run: "Example: /usr/local/bin/on-agent-event --verbose." } }),
  audience: "machine",
  settings: settingsSchema,
  example: { run: ["/usr/local/bin/my-notifier", "--from", "beckon"] },
  budgetMs: 61_000, // one second more than the longest `timeout`
  limits: { unit: "graphemes", title: 200, body: 4000 },
  reach: "network", // the program may send the event anywhere
  verification: {
    async check({ settings, ports }) {
      const [file] = settings.run;
      if (ports.exec.which(file) !== undefined) return undefined;
      const message = isAbsolute(file) ? `${file} is missing or not executable` : `the program ${file} does not exist`;
      return { message, hint: "Use the name of a program on PATH, or an absolute path." };
    },
  },
  lifecycle: { withdrawn: "reported", condition: "with `states`", keepsStates: ({ states }) => states },
  async send(call) {
    const { settings, message } = call;
    await runWith(call, message, { body: webhookBody(message) });
    return stateReceipt(settings, message);
  },
  update: (call) => sendState("update", call),
  withdraw: (call) => sendState("withdraw", call),
});

async function sendState(verb: "update" | "withdraw", call: ChangeCall<Settings>): Promise<undefined> {
  const found = stateMessage(verb, call);
  if (!found) return;
  const { message, state } = found;
  const body = stateBody(message, { state, nowMs: call.ports.clock.now() });
  await runWith(call, message, { body, env: { BECKON_STATE: state } });
}

/** Runs the program with a body on standard input. @throws {DeliveryError} if the exit code is not 0 */
async function runWith(
  { settings, ports, signal }: NotifierCall<Settings>,
  { event, kind, agent, id }: Message,
  { body, env = {} }: { readonly body: WebhookBody; readonly env?: Readonly<Record<string, string>> },
): Promise<void> {
  const [file, ...args] = settings.run;
  const { exitCode, stderr } = await ports.exec.run({
    file,
    args,
    input: `${JSON.stringify(body)}\n`,
    env: { BECKON_EVENT: event, BECKON_KIND: kind, BECKON_AGENT: agent, BECKON_ID: id, ...env },
    timeoutMs: settings.timeout,
    signal,
  });
  if (exitCode === 0) return;
  const reason = exitCode === temporaryFailureExitCode ? "unavailable" : "rejected";
  throw new DeliveryError(reason, `${basename(file)} exited with code ${exitCode}`, {
    said: stderr.trimEnd().split("\n").slice(-maxStderrLines).join("\n"),
    hint: "Exit code 0 means delivered and 75 means try again later; with any other code the event is given up.",
  });
}
