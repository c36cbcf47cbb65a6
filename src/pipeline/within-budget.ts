import * as z from "zod";
import type { ConfiguredNotifier } from "../config/config.ts";
import { resolveReferences } from "../config/references.ts";
import { secretsIn } from "../config/secrets.ts";
import { BeckonError, ConfigError, DeliveryError } from "../core/errors.ts";
import type { ClockPort, ExecPort } from "../core/ports.ts";
import type { RunContext } from "./context.ts";

/** Extra time after the budget in which a notifier can still report what it was waiting for, in milliseconds. */
const graceMs = 100;

/**
 * Calls `act`, a function of a notifier or lookup, with a signal that aborts when the budget is used up, like
 * `AbortSignal.timeout`. Rejects 100 ms later even if the function ignores the signal.
 * @throws {DeliveryError} `timeout` when the budget is used up; otherwise whatever `act` throws
 */
export function withinBudget<T>(
  budgetMs: number,
  clock: ClockPort,
  act: (signal: AbortSignal) => Promise<T>,
  late = `took longer than ${budgetMs} ms`,
): Promise<T> {
  const end = new AbortController();
  const { signal } = end;
  const timer = clock.after(budgetMs, () => end.abort(new DOMException("its budget has ended", "TimeoutError")));
  const outcome = new Promise<T>((resolve, reject) => {
    const giveUp = () => reject(new DeliveryError("timeout", late));
    signal.addEventListener("abort", () => clock.after(graceMs, giveUp).ref());
    // Converts a synchronous throw to a rejection.
    act(signal).then(resolve, (error) => {
      if (signal.aborted && !(error instanceof BeckonError)) giveUp();
      else reject(error);
    });
  });
  return outcome.finally(() => timer.cancel());
}

/**
 * Resolves the settings of a notifier or lookup: replaces references such as `${env:NAME}` by their values, then parses
 * the settings with their schema.
 * @param path path of the settings in the configuration file, for error messages
 * @param keepSecret called with every secret in the settings before anything else can fail
 * @throws {ConfigError} names the path, never the value
 */
export async function resolveSettings<Schema extends z.ZodType>(
  { schema, settings, path }: { readonly schema: Schema; readonly settings: unknown; readonly path: string },
  exec: ExecPort,
  keepSecret: RunContext["keepSecret"],
): Promise<z.output<Schema>> {
  const resolved = await resolveReferences(settings, path, exec);
  keepSecret([...resolved.secrets, ...secretsIn(schema, resolved.value)]);
  const read = z.safeParse(schema, resolved.value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = [path, ...(issue?.path ?? [])].join(".");
  const isWhole = issue?.code === "custom" && issue.path.length === 0; // its message is the schema's own
  throw new ConfigError(where, `${where} ${isWhole ? issue.message : "is not usable once its reference is resolved"}`);
}

/** Resolves the settings of an entry in `notifiers`. */
export function resolveNotifierSettings(
  { name, notifier, settings }: Pick<ConfiguredNotifier, "name" | "notifier" | "settings">,
  exec: ExecPort,
  keepSecret: RunContext["keepSecret"],
): Promise<z.output<typeof notifier.settings>> {
  return resolveSettings({ schema: notifier.settings, settings, path: `notifiers.${name}` }, exec, keepSecret);
}
