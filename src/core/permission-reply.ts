import { cut } from "../text/cut.ts";

/** Possible answers to a permission request. */
export const answerChoices = ["deny", "allow"] as const;
export type AnswerChoice = (typeof answerChoices)[number];

/** User's answer to a permission request. */
export interface Answer {
  readonly choice: AnswerChoice;
  /** Number of an option of a form that was chosen with a button, from 1. */
  readonly pick?: number | undefined;
  /** Numbers of all chosen options of a form, from 1. */
  readonly picks?: readonly number[] | undefined;
  /** User's own words, in place of a form's options. */
  readonly text?: string | undefined;
  /** Origin of the answer: a notifier's name, `terminal` or `board`. */
  readonly via: string;
  /** Text that the agent gets if the request is refused. */
  readonly reason?: string | undefined;
  /** Name and id of the user, if a receiver identified the user; default: this machine's user. */
  readonly by?: string | undefined;
}

/**
 * Beginning of every reply that a permission hook may print, up to the value of `behavior`. `hooks/wait.sh` contains
 * the same text. https://code.claude.com/docs/en/hooks#permissionrequest
 */
const head = '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"';
const tail = '"}}}';

/** Maximum size of a reply, in bytes. A larger file is not accepted as a reply. */
const maxReplyBytes = 2048;
/** Maximum size of a reply or of a decision about a form, in bytes. */
export const maxAnswerBytes = 16 * 1024;

/** Maximum length of the reason for a refusal, in characters of up to four bytes, so that every reply is short enough. */
const maxReasonChars = 450;

/** Reason for a refusal that the agent gets if the user gives none. */
export const defaultReason = "The user refused this.";

/** Builds the reply that a permission hook prints, one line. @param reason text for the agent, only used with `deny` */
export function buildReply(choice: AnswerChoice, reason: string = defaultReason): string {
  return choice === "allow" ? `${head}allow${tail}\n` : `${head}deny","message":"${cleanReason(reason)}${tail}\n`;
}

/** Builds the reply that allows a form with this input of its tool. */
export function buildAllowWith(input: object): string {
  return `${head}allow","updatedInput":${JSON.stringify(input)}}}}\n`;
}

/** True for a text that is exactly a reply as `buildReply` builds it, with any valid reason. */
export function isReply(text: string): boolean {
  if (text === buildReply("allow")) return true;
  const [start, end] = [`${head}deny","message":"`, `${tail}\n`];
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false;
  const reason = text.slice(start.length, -end.length);
  return !/["\\\p{Cc}]|updatedPermissions/u.test(reason) && Buffer.byteLength(text) <= maxReplyBytes;
}

/** Beginning of the decision about a form, from which its hook builds the reply. */
export const decisionHead = '{"form":"';

/** True for a text that was meant as a reply, even if no hook would print it. */
export function resemblesReply(text: string): boolean {
  const dense = text.replaceAll(/[\p{C}\s]/gu, "");
  return dense.includes(head) || dense.includes(decisionHead);
}

/** Shortens a reason and replaces all that JSON would have to escape, so that `hooks/wait.sh` can check the reply. */
export function cleanReason(reason: string): string {
  const line = reason
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll('"', "'")
    .replaceAll("\\", "/");
  return cut(line.trim(), maxReasonChars, "codePoints").replaceAll("updatedPermissions", "") || defaultReason;
}
