import { basename, isAbsolute } from "node:path";
import * as z from "zod";
import { DeliveryError } from "../core/errors.ts";
import { defineNotifier } from "../core/notifier.ts";
import { webhookBody } from "./shared/webhook-body.ts";

/** EX_TEMPFAIL of sysexits.h: the user is invited to retry. */
const tryAgainLater = 75;
const defaultSeconds = 10;
const maxSeconds = 60;

const program = z
  .string()
  .refine(
    (file) => isAbsolute(file) || (file !== "" && file === basename(file)),
    "must be an absolute path, or the name of a program on PATH",
  );

export const command = defineNotifier({
  name: "command",
  summary: "Any program of yours: it gets the event as JSON on standard input.",
  source: "https://man.openbsd.org/sysexits.3",
  settings: z.strictObject({
    run: z
      .tuple([program], z.string())
      .describe("The program, by absolute path or by its name on PATH, and its arguments. No shell reads them."),
    timeoutSeconds: z
      .number()
      .positive()
      .max(maxSeconds)
      .default(defaultSeconds)
      .describe(`When the program and all it started are stopped; default ${defaultSeconds}, at most ${maxSeconds}.`),
  }),
  example: { run: ["/usr/local/bin/my-notifier", "--from", "beckon"] },
  budgetMs: (maxSeconds + 1) * 1000,
  limits: { unit: "graphemes", title: 200, body: 4000 },
  reach: "network", // where the program takes it, nobody here knows
  platforms: "any",
  async check({ settings, ports }) {
    const [file] = settings.run;
    return ports.exec.which(file) === undefined ? `there is no program ${file}` : undefined;
  },
  async send({ settings, message, ports, signal }) {
    const [file, ...args] = settings.run;
    const { event, kind, agent, id } = message;
    const { exitCode } = await ports.exec.run({
      file,
      args,
      input: `${JSON.stringify(webhookBody(message))}\n`,
      env: { BECKON_EVENT: event, BECKON_KIND: kind, BECKON_AGENT: agent, BECKON_ID: id },
      timeoutMs: settings.timeoutSeconds * 1000,
      signal,
    });
    if (exitCode === 0) return;
    const reason = exitCode === tryAgainLater ? "unavailable" : "rejected";
    throw new DeliveryError(reason, `${basename(file)} ended with exit code ${exitCode}`, {
      hint: "Exit code 0 means delivered, 75 means try again later; any other gives up on this event.",
    });
  },
});
