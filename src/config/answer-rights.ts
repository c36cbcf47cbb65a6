import type { AnswerChoice } from "../core/permission-reply.ts";
import type { AnswerSettings } from "./answers-table.ts";

/** Lists the answers that the buttons of a notifier's messages may give; empty if the messages get no buttons. */
export function listChoices(answers: AnswerSettings | undefined, notifier: string): readonly AnswerChoice[] {
  const rights = answers?.from[notifier] ?? [];
  return "may" in rights ? rights.may : rights;
}

/** Lists the ids of the people who may press a notifier's buttons; undefined if the notifier does not identify people. */
export function listUsers(answers: AnswerSettings | undefined, notifier: string): readonly number[] | undefined {
  const rights = answers?.from[notifier] ?? [];
  return "users" in rights ? rights.users : undefined;
}

/** Describes who may give which answers with a notifier's buttons: `desk (deny, allow)`. */
export function describeRights(answers: AnswerSettings, notifier: string): string {
  const users = listUsers(answers, notifier);
  const who = users === undefined ? "" : `: ${users.join(", ")}`;
  return `${notifier} (${listChoices(answers, notifier).join(", ")}${who})`;
}

/** Returns the id of journal lines about reading the pressed buttons of these notifiers' messages. */
export function readerId(notifiers: readonly string[]): string {
  return `answers-${notifiers.join("-")}`;
}

/** Beginning of the reason in journal lines about buttons that cannot be read. */
export const unreadableReason = "answers cannot be read:";
