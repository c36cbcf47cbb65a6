import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { sampleSessionPrefix } from "../../../attention/session-memory.ts";
import { addNotifier, removeNotifier, usualKinds } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own, type WrittenFields } from "../../../config/written-value.ts";
import { CommandError } from "../../../core/errors.ts";
import { newId, put } from "../../../spool/put.ts";
import { encodeRecord } from "../../../spool/record.ts";
import { wake } from "../../../spool/wake.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal } from "../../dialog.ts";
import { sayIfCancelled } from "../../errors.ts";
import { createCliPorts } from "../../ports.ts";
import { say, shortPath } from "../../say.ts";

/** Configuration entry of the notifier that sends events to another machine. */
interface HandOver {
  readonly name: string;
  readonly entry: WrittenFields<Readonly<Record<string, unknown>>>;
  /** Name of the existing entry that this entry replaces; undefined if there is none. */
  readonly known: string | undefined;
}

/**
 * Plans the notifier that sends events to another machine. If the configuration already has such a notifier, the new
 * one replaces it.
 */
export async function planNotifier(
  settings: HandOver["entry"],
  { paths }: Pick<CliContext, "paths">,
): Promise<HandOver> {
  const { notifiers, disabled } = await loadConfig(paths.config);
  const known = [...notifiers.values()].find(({ notifier }) => notifier.relays)?.name;
  const taken = new Set([...notifiers.keys(), ...disabled]);
  const name = known ?? (taken.has("home") ? `home-${randomBytes(2).toString("hex")}` : "home");
  return { name, known, entry: { type: own("relay"), ...settings } };
}

/** Notifiers of a machine after it was set up to send its events. */
interface HandedOver {
  /** Name of the notifier that sends the events. */
  readonly notifier: string;
  /** Names of the other notifiers that events are routed to. */
  readonly others: readonly string[];
}

/**
 * Adds the notifier that sends events to another machine, with a route. On a machine without a desktop, the default
 * notifiers no longer apply.
 */
export async function setNotifier(
  { name, known, entry }: HandOver,
  { paths }: Pick<CliContext, "paths">,
): Promise<HandedOver> {
  const { notifiers } = await loadConfig(paths.config);
  const isAlone = createCliPorts(paths).desktop.obstacle() !== undefined;
  const added = { name, entry, route: { kinds: usualKinds }, isAlone };
  const isSame = isDeepStrictEqual({ ...notifiers.get(name)?.settings, type: "relay" }, entry);
  await editConfig(paths, (current) => {
    if (isSame) return current;
    return addNotifier(
      known === undefined ? current : removeNotifier(current, paths.config, known),
      paths.config,
      added,
    );
  });
  const { routes } = await loadConfig(paths.config);
  return { notifier: name, others: [...new Set(routes.flatMap(({ to }) => to))].filter((other) => other !== name) };
}

/**
 * Describes which notifiers a machine has in addition to the one that sends its events.
 * @param place receiver of the events, as seen from here
 */
export function describeOthers(others: readonly string[], machine: string, place: "here" | "there"): string {
  if (others.length === 0) return `No other notifier is set up on ${machine}, so its events ring only ${place}.`;
  return `${machine === "this machine" ? "This machine" : machine} keeps its own notifiers too: ${others.join(", ")}.`;
}

/** Puts a sample event into the spool, as a hook does. Returns its session id. */
export async function sendSample(
  name: string,
  { paths, environment }: Pick<CliContext, "paths" | "environment">,
): Promise<string> {
  const session = sampleSessionPrefix + randomBytes(6).toString("hex");
  const payload = {
    session_id: session,
    hook_event_name: "Notification",
    cwd: environment.project,
    message: `Sample: ${name} is connected. Its agents will notify you like this.`,
  };
  const header = { v: 1, event: "Notification", agent: "beckon", cwd: environment.project } as const;
  put(paths.spool, newId(), encodeRecord(header, Buffer.from(JSON.stringify(payload))));
  await wake(paths);
  return session;
}

/** Returns a single recipient as a text, several as a list. */
export function unwrapSingle(recipients: readonly string[] | undefined): string | readonly string[] | undefined {
  return recipients?.length === 1 ? recipients[0] : recipients;
}

/** Maximum length of a value that is shown in full, in characters. */
const maxShownChars = 400;

/** A change of a file, on this or another machine, that needs the user's consent. */
interface PlannedWrite {
  readonly file: string;
  /** Path of the setting in the configuration; undefined if the whole file is written. */
  readonly at?: string;
  /** Value to be written; undefined if it is secret. */
  readonly value?: unknown;
}

/** Formats a change for people, without control characters: `~/.beckon/config.jsonc, notifiers.home: {…}`. */
function describeWrite({ file, at, value }: PlannedWrite, { environment }: Pick<CliContext, "environment">): string {
  const place = [shortPath(file, environment), at].filter((part) => part !== undefined).join(", ");
  const text = value === undefined ? "credentials" : cleanLine(JSON.stringify(value));
  return `${place}: ${text.length > maxShownChars ? `${text.slice(0, maxShownChars)}…` : text}`;
}

/**
 * Prints the planned writes, and asks for consent. Returns true without asking if `yes` is set.
 * @throws {CommandError} if it may not ask, or if there is no terminal to ask on
 */
export async function agreesToWrites(
  title: string,
  writes: readonly PlannedWrite[],
  { yes, json }: { readonly yes?: boolean | undefined; readonly json?: boolean | undefined },
  context: CliContext,
): Promise<boolean> {
  if (!json) say(title, context);
  if (!json) for (const write of writes) say(`  ${describeWrite(write, context)}`, context, 4);
  if (yes) return true;
  if (json || !process.stdin.isTTY || !context.terminal)
    throw new CommandError("nothing was changed, because there is no terminal to ask on", "Run this with --yes.");
  const ask = () => askOnTerminal((dialog) => dialog.confirm("Continue?", true));
  const agreed = await sayIfCancelled(ask, context.print, () => "Nothing was changed.");
  if (!agreed) context.print("Nothing was changed.");
  return agreed;
}
