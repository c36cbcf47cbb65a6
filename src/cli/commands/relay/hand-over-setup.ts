import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { addNotifier, removeNotifier, usualKinds } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { loadConfig } from "../../../config/load.ts";
import { own, type WrittenFields } from "../../../config/written-value.ts";
import { sampleSessionPrefix } from "../../../core/vocabulary.ts";
import { newId, put } from "../../../spool/put.ts";
import { encodeRecord } from "../../../spool/record.ts";
import { wake } from "../../../spool/wake.ts";
import type { CliContext } from "../../context.ts";
import { createCliPorts } from "../../ports.ts";

/** Configuration entry of the notifier that sends events to another machine. */
interface HandOver {
  readonly name: string;
  readonly entry: WrittenFields<Readonly<Record<string, unknown>>>;
  /** Name of the entry that it replaces, if there is one. */
  readonly known: string | undefined;
}

/** Plans the notifier that sends events to another machine. It replaces an earlier one. */
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

/** Adds the notifier that sends events to another machine, with a route. Returns its name. */
export async function setNotifier(
  { name, known, entry }: HandOver,
  { paths }: Pick<CliContext, "paths">,
): Promise<string> {
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
  return name;
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
    message: `${name} is connected. Its agents will notify you like this.`,
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
