import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { JoinedMachine } from "../../../../docs/output.d.ts";
import { sampleSessionPrefix } from "../../../attention/session-memory.ts";
import { defaultKinds } from "../../../config/defaults.ts";
import { addNotifier, removeNotifier } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own, type WrittenFields } from "../../../config/written-value.ts";
import { CommandError } from "../../../core/errors.ts";
import { writePrivateFile } from "../../../files/atomic-file.ts";
import { createClock } from "../../../io/clock.ts";
import { NotifierQueues } from "../../../pipeline/notifier-queue.ts";
import { newId, put } from "../../../spool/put.ts";
import { encodeRecord } from "../../../spool/record.ts";
import { wake } from "../../../spool/wake.ts";
import { cleanLine } from "../../../text/clean.ts";
import type { CliContext } from "../../context.ts";
import { terminalDialog } from "../../dialog.ts";
import { sayIfCancelled } from "../../errors.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { createCliPorts } from "../../ports.ts";
import { say, shortPath } from "../../say.ts";

/** Machine that is set up to send its events to another machine. */
interface HandingOver {
  /** Settings of the notifier that sends the events. */
  readonly settings: WrittenFields<Readonly<Record<string, unknown>>>;
  /** This machine's name at the other machine. */
  readonly name: string;
  /** Description of the change, for the user's consent. */
  readonly title: string;
  /** Credentials that the settings refer to, with their file. */
  readonly credentials?: { readonly file: string; readonly text: string };
}

/**
 * Adds the notifier that sends events to another machine, with a route, after asking the user. It replaces an existing
 * notifier of that kind. On a machine without a desktop, the default notifiers no longer apply. Then sends a sample
 * event. Returns the notifier's name, the other notifiers that events are routed to, and the sample's session id;
 * undefined if the user disagrees.
 */
export async function handOver(
  { settings, name: host, title, credentials }: HandingOver,
  options: ConsentOptions,
  context: CliContext,
): Promise<JoinedMachine | undefined> {
  const { paths, print } = context;
  const { notifiers, disabled } = await loadConfig(paths.config);
  const known = [...notifiers.values()].find(({ notifier }) => notifier.relays)?.name;
  const taken = new Set([...notifiers.keys(), ...disabled]);
  const name = known ?? (taken.has("home") ? `home-${randomBytes(2).toString("hex")}` : "home");
  const entry = { type: own("relay"), ...settings };
  const write = { file: paths.config, at: `notifiers.${name}`, value: entry };
  if (!(await agreesToWrites(title, credentials ? [{ file: credentials.file }, write] : [write], options, context)))
    return undefined;
  if (credentials) writePrivateFile(credentials.file, credentials.text);
  const added = {
    name,
    entry,
    route: { kinds: defaultKinds },
    isAlone: createCliPorts(paths).desktop.obstacle() !== undefined,
  };
  const isSame = isDeepStrictEqual({ ...notifiers.get(name)?.settings, type: "relay" }, entry);
  await editConfig(paths, (current) => {
    if (isSame) return current;
    const left = known === undefined ? current : removeNotifier(current, paths.config, known);
    return addNotifier(left, paths.config, added);
  });
  // Equal settings may refer to new credentials.
  if (credentials) new NotifierQueues(paths, createClock()).of(name).forgetBroken();
  const { routes } = await loadConfig(paths.config);
  const others = [...new Set(routes.flatMap(({ to }) => to))].filter((other) => other !== name);
  const handedOver = { notifier: name, others, sample: await sendSample(host, context) };
  if (options.json) print(jsonLine(handedOver));
  return handedOver;
}

/**
 * Describes which notifiers a machine has in addition to the one that sends its events.
 * @param place receiver of the events, as seen from here
 */
export function describeOthers(others: readonly string[], machine: string, place: "here" | "there"): string {
  if (others.length === 0) return `No other notifier is set up on ${machine}, so its events ring only ${place}.`;
  return `${machine === "this machine" ? "This machine" : machine} keeps its own notifiers too: ${others.join(", ")}.`;
}

/** Time limit for the sample event in milliseconds, to the server or to the other machine's last notifier. */
export const sampleTimeoutMs = 30_000;

/** Puts a sample event into the spool, as a hook does. Returns its session id. */
async function sendSample(
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

export interface ConsentOptions extends JsonOption {
  readonly yes?: boolean;
}

/**
 * Prints the planned writes, and asks for consent. Returns true without asking if `yes` is set.
 * @throws {CommandError} if it may not ask, or if there is no terminal to ask on
 */
export async function agreesToWrites(
  title: string,
  writes: readonly PlannedWrite[],
  { yes, json }: ConsentOptions,
  context: CliContext,
): Promise<boolean> {
  if (!json) say(title, context);
  if (!json) for (const write of writes) say(`  ${describeWrite(write, context)}`, context, 4);
  if (yes) return true;
  if (json || !process.stdin.isTTY || !context.terminal)
    throw new CommandError("nothing was changed, because there is no terminal to ask on", "Run this with --yes.");
  const ask = () => terminalDialog.confirm("Continue?", true);
  const agreed = await sayIfCancelled(ask, context, () => "Nothing was changed.");
  if (!agreed) context.print("Nothing was changed.");
  return agreed;
}
