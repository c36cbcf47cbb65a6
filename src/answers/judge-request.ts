import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { agentNamed } from "../agents/registry.ts";
import { threadKey } from "../attention/session-keys.ts";
import type { AnswerSettings } from "../config/answers-table.ts";
import { isSerial, type PermissionHook, readToolInput } from "../core/agent.ts";
import type { AgentEvent } from "../core/event.ts";
import { isObject, type JsonObject } from "../core/json-value.ts";
import { once } from "../core/once.ts";
import { hashPayload, readForm } from "../core/permission-form.ts";
import { quietly } from "../core/quietly.ts";
import { readStateFile, writeStateFile } from "../files/atomic-file.ts";
import { expandHome, type Paths } from "../files/paths.ts";
import { explainExposure } from "../files/root-access.ts";
import type { AskedEvent, RunContext } from "../pipeline/context.ts";
import { isInProjects } from "../pipeline/route.ts";
import { inputEnd, maxPayloadBytes, type SpoolRecord } from "../spool/record.ts";
import { showHidden } from "../text/clean.ts";
import { mask } from "../text/mask/mask.ts";
import { counted } from "../text/time.ts";
import { type Ask, readOffSwitch } from "./ask-files.ts";
import type { HeldAsk, HeldAsks } from "./held-asks.ts";
import { findNeverRule, tooLong } from "./never.ts";
import { isRunning, type KeyWatch, watchKeys } from "./requester.ts";

/** Parts of a request that its judgement determines. */
type JudgedParts = Pick<Ask, "lines" | "hash" | "choices" | "denyOnly" | "options" | "isMultiple"> &
  Pick<HeldAsk, "form">;

/** Maximum size of a request or a form that may be allowed outside the agent: lines, and UTF-16 units. */
const requestLimits = { lines: 100, chars: 8_000 } as const;
const formLimits = { lines: 400, chars: 16_000 } as const;

/**
 * Judges a permission request by the exact bytes that the hook received. Returns the request if it may be answered
 * outside the agent, or else the reason why only the agent's own dialog can answer it.
 * @param transcriptTail end of the session's transcript, for agents whose payloads are incomplete
 */
export function judgeRequest(
  record: SpoolRecord,
  event: AgentEvent,
  settings: AnswerSettings | undefined,
  transcriptTail = "",
): (JudgedParts & { readonly isSerial: boolean }) | { readonly reason: string } {
  const hook = agentNamed(event.agent)?.permissionHook;
  if (!settings) return { reason: "answers are not set up" };
  if (!settings.agents.includes(event.agent) || typeof hook !== "object" || event.nativeEvent !== hook.event)
    return { reason: "`answers.agents` does not have this agent" };
  const payload = readStrictly(record);
  if (!payload) return { reason: "its input was cut off or damaged" };
  const { cwd, session_id: session } = payload;
  if (typeof cwd !== "string" || cwd !== event.cwd || typeof session !== "string")
    return { reason: "its folder or session is unknown" };
  const omitted = hook.findOmitted ? hook.findOmitted(payload, transcriptTail) : { lines: [] };
  const folder = resolve(cwd, omitted?.folder ?? ".");
  const folders = [cwd, folder, ...(event.projectDir === undefined ? [] : [event.projectDir])];
  if (!folders.every((each) => isReallyIn(each, settings.projects)))
    return { reason: "its folder is in none of `answers.projects`" };
  const unasked = hook.explainUnasked?.(payload);
  if (unasked !== undefined) return { reason: unasked };
  const known = describeRequest(record, payload, hook);
  if (!known) return { reason: "this tool is only answered in the agent" };
  const more = omitted?.lines ?? [];
  const input = [readToolInput(payload), ...more];
  const command = hook.findCommand?.(payload);
  const words = { input: [payload.tool_name, ...input], command, cwd: folder, never: settings.never };
  const rule = known.form ? undefined : findNeverRule(words); // an answered form runs nothing
  if (rule !== undefined && rule !== tooLong) return { reason: `only answered in the agent: ${rule}` };
  const lines = [...known.lines, ...more];
  const doubt = known.denyOnly ?? findDoubt(lines, payload, known.form !== undefined);
  const denyOnly = rule ?? (omitted ? doubt : "its folder and rights are unknown");
  const hash = createHash("sha256")
    .update(canonical([event.agent, session, cwd, payload.tool_name, ...input]))
    .digest("hex");
  const { lines: _, denyOnly: __, ...others } = known;
  const request = { hash, isSerial: isSerial(hook, payload), ...others };
  return denyOnly === undefined
    ? { ...request, lines, choices: ["deny", "allow"] as const }
    : { ...request, lines: makePresentable(lines), choices: ["deny"] as const, denyOnly };
}

/** Describes a request by the rules of its hook: those for forms, or those for all other tools. */
function describeRequest(
  { header, payload: bytes }: SpoolRecord,
  payload: JsonObject,
  hook: PermissionHook,
): Omit<JudgedParts, "hash" | "choices"> | undefined {
  const form = header.form ? readForm(payload) : undefined;
  if (!form || !hook.forms) {
    const lines = header.form ? undefined : hook.describe(payload);
    return lines && { lines };
  }
  const labels = form.questions.flatMap(({ options }) => options.map(({ label }) => label));
  const isMultiple = form.questions.some((question) => question.isMultiple);
  const held = { ...form, payloadHash: hashPayload(bytes) };
  return { ...hook.forms.describe(form), form: held, ...(labels.length > 0 && { options: labels, isMultiple }) };
}

/** True if a folder is in one of the projects by its name and by its real path, because a project may contain links. */
function isReallyIn(folder: string, projects: readonly string[]): boolean {
  if (!isInProjects(folder, projects)) return false;
  const real = quietly(() => realpathSync(folder)) ?? folder;
  if (isInProjects(real, projects)) return true;
  const bases = projects.map((glob) => ({ glob, base: expandHome(glob.replace(/\/?[^/]*[*?[{].*$/, "")) }));
  return bases.some(({ glob, base }) => {
    const realBase = quietly(() => realpathSync(base)) ?? base;
    const rest = expandHome(glob).slice(base.length);
    return realBase !== base && isInProjects(real, [realBase + rest]);
  });
}

/** Prepares the lines of a request that can only be denied: masks secrets, and ends a long request with a mark. */
function makePresentable(lines: readonly string[]): string[] {
  const text = lines.join("\n");
  const { lines: maxLines, chars: maxChars } = requestLimits;
  const masked = mask(text.slice(0, 2 * maxChars)); // a secret across the cut would not be recognized
  const shown = masked.slice(0, maxChars).split("\n").slice(0, maxLines);
  const isCut = text.length > 2 * maxChars || shown.join("\n") !== masked;
  const [moreLines, moreChars] = [lines.length - shown.length, text.length - shown.join("\n").length];
  const rest = moreLines > 0 ? counted(moreLines, "line") : counted(Math.max(1, moreChars), "character");
  return [...shown.map((line) => showHidden(mask(line))), ...(isCut ? [`… (+${rest})`] : [])];
}

/** Parses a complete payload that is a JSON object in valid UTF-8; undefined for any other payload. */
function readStrictly({ payload, end }: SpoolRecord): JsonObject | undefined {
  if (end !== inputEnd.complete || payload.length > maxPayloadBytes) return undefined;
  const value = quietly((): unknown =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload)),
  );
  return isObject(value) ? value : undefined;
}

/**
 * Finds the reason why a request must not be allowed outside the agent, such as a text that can be misread; undefined
 * if there is none.
 */
function findDoubt(lines: readonly string[], payload: JsonObject, isForm: boolean) {
  const text = lines.join("\n");
  const limits = isForm ? formLimits : requestLimits;
  if (payload.toolInputTruncated || payload.tool_input_truncated) return "the agent cut its input";
  if (lines.length > limits.lines || text.length > limits.chars) return "it is too long to be shown whole";
  const isPlain = lines.every((line) => plainText.test(line)) && text.normalize("NFKC") === text;
  // Prose may have arrows and the like: it says what is asked, but nothing runs it.
  const isHidden = isForm ? invisible.test(text.replaceAll(proseParts, "")) || control.test(text) : !isPlain;
  if (isHidden || (!isForm && invisible.test(text)))
    return "it has invisible characters, or some that look like others";
  if (emptySpace.test(text.replaceAll("\t", "    "))) return "it has empty space that may hide a part of it";
  if (mask(text) !== text || lines.some((line) => mask(line) !== line)) return "it seems to contain a secret";
  return undefined;
}

/**
 * Pattern of a line whose characters cannot be mistaken for others: printable ASCII and tabs, letters up to Latin
 * Extended-A, a few quotation marks and dashes, and East Asian scripts. Cyrillic and Greek letters are excluded,
 * because many of them look like Latin ones.
 */
const plainText =
  /^[\t\x20-\x7e\u00a1-\u00ac\u00ae-\u0130\u0132-\u0137\u0139-\u017e\u2013\u2014\u2018\u2019\u201c\u201d\u20ac\u3001\u3002\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]*$/u;
const control = /[^\P{Cc}\t\n]/u;
/** Emoji of several characters, and letters with the marks that scripts other than the Latin one need. */
const proseParts =
  /[\d#*]\ufe0f\u20e3|\p{Extended_Pictographic}[\ufe0f\u{1f3fb}-\u{1f3ff}]?(?:\u200d\p{Extended_Pictographic}\ufe0f?)*|(?!\p{sc=Latn})\p{L}\p{M}{1,3}/gu;
const invisible = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{M}]/u;
/** Forty spaces or ten lines without text, which may hide the rest. */
const emptySpace = / {40}|(?:\n[ »+-]*){10}\n/;

/** Writes a value as JSON with sorted keys, so that equal values have equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
}

/** Most requests of a session within `windowMs` that may be answered elsewhere. */
const maxRequests = 20;
const windowMs = 600_000;

const timesSchema = once(() => z.record(z.string(), z.array(z.number())));

/** Time within which requests are counted for the user: two minutes. */
const recentMs = 120_000;

/**
 * Counts a session's request in a file, because workers come and go. Returns the number of the session's requests within
 * two minutes, or undefined if the session asked too often or the request cannot be counted.
 * @param nowMs Unix milliseconds
 */
function countRequest({ state }: Pick<Paths, "state">, thread: string, nowMs: number): number | undefined {
  const file = join(state, "asked.json");
  const counted = Object.entries(readStateFile<Record<string, number[]>>(file, timesSchema, {}));
  const isRecent = (atMs: number) => Math.abs(nowMs - atMs) < windowMs;
  const recent = new Map(counted.map(([key, times]) => [key, times.filter(isRecent)] as const));
  const own = recent.get(thread) ?? [];
  if (own.length >= maxRequests) return undefined;
  const times = [...own, nowMs];
  recent.set(thread, times);
  const isCounted = writeStateFile(file, Object.fromEntries([...recent].filter(([, { length }]) => length > 0)));
  return isCounted ? times.filter((atMs) => Math.abs(nowMs - atMs) < recentMs).length : undefined;
}

/** Longest time to find out if the user is at this machine: one second. The agent waits meanwhile. */
const limitMs = 1_000;

/**
 * Explains why a request is left to the agent's own dialog, mostly because the user is at this machine. Undefined if
 * the request may be answered outside the agent. If the hook keeps that dialog from opening, the result is undefined
 * only if the user is known to be away and a key press in the agent's terminal is noticeable.
 * @param keys watch for that key press; undefined if the agent's own dialog opens beside the hook
 */
async function explainPresent(
  { processes = [] }: AgentEvent,
  keys: KeyWatch | undefined,
  { config, ports }: Pick<RunContext, "config" | "ports">,
): Promise<string | undefined> {
  if (config.answers?.when === "always" && !keys) return undefined;
  if (keys?.isPossible() === false) return "no key in the agent's terminal could end the wait";
  const awayMs = config.attention.away;
  const { isLocked, idleMs, typedAtMs = keys?.findLastKey() } = await ports.presence.ask(processes, limitMs);
  if (isLocked) return undefined;
  const hasTyped = typedAtMs !== undefined && ports.clock.now() - typedAtMs < awayMs;
  if (hasTyped || (idleMs !== undefined && idleMs < awayMs)) return "you are at this machine";
  return keys && idleMs === undefined ? "you may be at this machine" : undefined;
}

/** Maximum number of open requests in a session. */
const maxOpen = 3;

/**
 * Decides if a permission request may be held. Returns the request, or the reason why only the agent's own dialog can
 * answer it.
 * @param hook process that waits for the answer
 */
export async function decideHold(
  { record, event, isNew }: AskedEvent,
  hook: HeldAsk["hook"],
  asks: HeldAsks,
  context: RunContext,
): Promise<(JudgedParts & Pick<HeldAsk, "keys" | "recentCount">) | string> {
  if (!isNew) return "an earlier worker had it";
  const { paths } = asks;
  if (readOffSwitch(paths)) return "answers are switched off";
  const judged = judgeRequest(record, event, context.config.answers, await readTranscriptTail(event, context));
  if ("reason" in judged) return judged.reason;
  const folders = [event.cwd, event.projectDir].filter((folder) => folder !== undefined);
  const exposure = explainExposure(paths, folders);
  if (exposure !== undefined) return exposure; // the hook has found that too, and ended
  if (!isRunning(hook)) return "its hook has ended";
  const { isSerial: needsKeys, ...request } = judged;
  const keys = needsKeys ? watchKeys(event, context.ports) : undefined;
  const presence = await explainPresent(event, keys, context);
  if (presence !== undefined) return presence;
  const thread = threadKey(event);
  const recentCount = countRequest(paths, thread, context.ports.clock.now());
  if (recentCount === undefined) return "the session asked too often within ten minutes";
  const openNow = asks.open.filter((ask) => threadKey(ask.event) === thread).length;
  return openNow >= maxOpen ? `the session already has ${maxOpen} open requests` : { ...request, keys, recentCount };
}

/** Part of the transcript that is searched for the call, in bytes. */
const tailBytes = 512 * 1024;

/** Reads the end of the transcript if the agent's payloads are incomplete. */
async function readTranscriptTail({ agent, transcriptPath }: AgentEvent, { config, ports }: RunContext) {
  const hook = agentNamed(agent)?.permissionHook;
  const isRead = config.answers?.agents.includes(agent) && typeof hook === "object" && hook.findOmitted !== undefined;
  return isRead && transcriptPath !== undefined ? ports.files.readTail(transcriptPath, tailBytes) : undefined;
}
