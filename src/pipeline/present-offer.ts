import type { Catalogue } from "../config/catalogues.ts";
import type { AnswerOffer, ShownOffer } from "../core/notifier-call.ts";
import { clockTime } from "../text/local-time.ts";
import { insertCount, insertValues } from "../text/template.ts";
import type { AskOutcome } from "./outgoing.ts";

/** Smallest number of requests within two minutes that a message mentions. */
const minMentioned = 2;

/**
 * Puts an offer into the form in which a notifier must show it. A request whose text the mask changes cannot be allowed,
 * because its reader does not see all of it.
 * @param maskText masks secrets in a text; absent if the message stays on this machine
 */
export function presentOffer(
  offer: AnswerOffer,
  { answers, language }: Pick<Catalogue, "answers" | "language">,
  maskText: (text: string) => string = (text) => text,
): ShownOffer | undefined {
  const text = offer.lines.join("\n");
  const masked = maskText(text).split("\n").map(maskText).join("\n");
  const choices = offer.choices.filter(({ choice }) => choice === "deny" || masked === text);
  if (choices.length === 0) return undefined;
  const { denyOnly, recentCount } = offer;
  const remarks = [
    ...(recentCount < minMentioned ? [] : [insertCount(answers.recent, recentCount, { language, type: "ordinal" })]),
    ...(denyOnly === undefined ? [] : [insertValues(answers.denyOnly, { reason: denyOnly })]),
  ];
  return { ...offer, lines: masked.split("\n"), choices, remarks };
}

/** Describes a request's end in one line. */
export function describeAskOutcome(
  { choice, by = "", via = "", atMs }: AskOutcome,
  { answers }: Pick<Catalogue, "answers">,
  nowMs: number,
): string {
  const form = choice === undefined ? answers.ended : choice === "allow" ? answers.allowed : answers.denied;
  return insertValues(form, { by, via, time: clockTime(atMs, nowMs) });
}
