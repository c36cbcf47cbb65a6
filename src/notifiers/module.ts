import { realpath, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { pathToFileURL } from "node:url";
import * as z from "zod";
import { DeliveryError, type FailureReason, failureReasons, readErrno } from "../core/errors.ts";
import { defineNotifier } from "../core/notifier.ts";
import type { ChangeCall, NotifierCall } from "../core/notifier-call.ts";
import { importModule } from "../files/import-module.ts";
import { docsPage } from "../text/version.ts";
import { type MessageState, stateMessage, stateReceipt, statesSetting } from "./shared/states.ts";

type Send = (call: Omit<NotifierCall<Readonly<Record<string, unknown>>>, "view">) => Promise<void>;

const settingsSchema = z.strictObject({
  path: z
    .string()
    .refine(isAbsolute, "must be an absolute path")
    .regex(/\.m?[jt]s$/, "must end in .mjs, .js, .mts or .ts")
    .describe(
      "Absolute path of an ES module that exports `notifier`, an object with a function `send(call)`. TypeScript needs Node 22.18.",
    ),
  settings: z.record(z.string(), z.unknown()).default({}).describe("Settings that the module gets as `call.settings`."),
  states: statesSetting,
});
type Settings = z.output<typeof settingsSchema>;

/** Notifier for the user's JavaScript or TypeScript module, which runs inside the worker. */
export const module = defineNotifier({
  name: "module",
  summary: "Calls your own JavaScript or TypeScript module.",
  source: "https://nodejs.org/api/esm.html#import-expressions",
  guide: async () => ({ where: { path: `You write the file; ${docsPage("writing-a-notifier")} has examples.` } }),
  audience: "machine",
  settings: settingsSchema,
  example: { path: "/home/me/.config/beckon/lamp.mjs", settings: { colour: "red" } },
  budgetMs: 15_000,
  limits: { unit: "graphemes", title: 200, body: 4000 },
  reach: "network", // the module may send the event anywhere
  lifecycle: { withdrawn: "reported", condition: "with `states`", keepsStates: ({ states }) => states },
  async send(call) {
    await callModule(call);
    return stateReceipt(call.settings, call.message);
  },
  update: (call) => sendState("update", call),
  withdraw: (call) => sendState("withdraw", call),
});

async function sendState(verb: "update" | "withdraw", call: ChangeCall<Settings>): Promise<undefined> {
  const found = stateMessage(verb, call);
  if (!found) return;
  const { receipt: _, isSuperseded: __, resolutions: ___, ...others } = call;
  await callModule({ ...others, ...found });
}

/**
 * Calls the module's function `send`; with `state` if the message was sent before and has changed.
 * @throws {DeliveryError}
 */
async function callModule({
  settings,
  ...call
}: NotifierCall<Settings> & { readonly state?: MessageState }): Promise<void> {
  const send = await load(settings.path);
  try {
    const { view: _, ...publicCall } = call; // the module gets only the final texts, in `message`
    await send({ ...publicCall, settings: settings.settings });
  } catch (error) {
    const known = asDeliveryError(error);
    if (known) throw known;
    // The module caused the error, so the user is not asked to report a bug.
    const details = { ...quoteError(error), hint: "Correct the module.", cause: error };
    throw new DeliveryError("bug", `the module threw ${readErrorName(error)}`, details);
  }
}

/** Number of lines kept from the start of a stack: the error and where it was thrown. */
const maxStackLines = 4;

function readErrorName(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function quoteError(error: unknown): { readonly said: string } {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { said: text.split("\n").slice(0, maxStackLines).join("\n") };
}

async function load(path: string): Promise<Send> {
  const file = await trustedFile(path);
  if (/\.m?ts$/.test(file)) refuseWithoutTypes();
  let exports: Record<string, unknown>;
  try {
    exports = await importModule(pathToFileURL(file).href);
  } catch (error) {
    throw unusable(`the module cannot be loaded (${readErrorName(error)})`, {
      ...quoteError(error),
      hint: `To see why, run it yourself: node ${path}`,
      cause: error,
    });
  }
  const notifier = (exports["notifier"] ?? exports["default"]) as { send?: unknown } | null | undefined;
  if (typeof notifier?.send === "function") return (call) => (notifier as { send: Send }).send(call);
  throw unusable("the module exports no notifier", {
    hint: "Export `const notifier = { async send(call) { … } }`, under that name or as the default.",
  });
}

/** Rejects TypeScript modules on Node 22 before 22.18 and Node 23 before 23.6, which cannot strip types. */
function refuseWithoutTypes(): void {
  if ((process.features as { readonly typescript?: unknown }).typescript) return;
  throw unusable(`Node ${process.version} runs no TypeScript`, {
    hint: "Compile it to .mjs, or run `beckon upgrade` with Node 22.18 or newer, which then runs the worker.",
  });
}

/**
 * Resolves the real path of a module.
 * @throws {DeliveryError} `rejected` unless it is a regular file that only this user and root can change
 */
async function trustedFile(path: string): Promise<string> {
  const file = await realpath(path).catch((error) => {
    throw unusable(`the module cannot be found (${readErrno(error) ?? "unknown error"})`, { hint: "Check `path`." });
  });
  const found = await stat(file);
  if (!found.isFile()) throw unusable("the module is not a regular file", { hint: "Set `path` to the file itself." });
  const uid = process.getuid?.();
  if (uid === undefined) return file;
  if (found.uid !== uid && found.uid !== 0) {
    throw unusable("the module belongs to another user", { hint: "Use a copy that belongs to you." });
  }
  if ((found.mode & 0o022) !== 0) {
    throw unusable("users other than you can change the module", { hint: `Run: chmod go-w ${path}` });
  }
  return file;
}

/** Converts a `DeliveryError` from another copy of the library to this copy's class. Undefined for other errors. */
function asDeliveryError(error: unknown): DeliveryError | undefined {
  if (error instanceof DeliveryError || !(error instanceof Error) || error.name !== "DeliveryError") return undefined;
  const { reason, hint, retryAfterMs } = error as Partial<DeliveryError>;
  if (!failureReasons.includes(reason as FailureReason)) return undefined;
  return new DeliveryError(reason as FailureReason, error.message, {
    hint: typeof hint === "string" ? hint : undefined,
    retryAfterMs: typeof retryAfterMs === "number" ? retryAfterMs : undefined,
    cause: error,
  });
}

function unusable(
  message: string,
  options: { readonly hint: string; readonly said?: string; readonly cause?: unknown },
): DeliveryError {
  return new DeliveryError("rejected", message, options);
}
