import { type RouteConditions, usualKinds } from "../../../../config/edit/edit-config.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import { omitUndefined } from "../../../../core/omit-undefined.ts";
import { kinds } from "../../../../core/vocabulary.ts";
import type { Dialog } from "../../../dialog.ts";
import type { AddArguments } from "./ask.ts";

/** Chooses the conditions of the notifier's route, as in `NewNotifier`. @throws {UsageError | CancelledError} */
export async function chooseRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  { route, kinds: chosen, on, agents, projects, when, after }: AddArguments,
  hasRoutes: boolean,
  dialog: Dialog | undefined,
): Promise<RouteConditions | "none" | undefined> {
  const others = omitUndefined<RouteConditions>({ on, agents, projects, when, after });
  const isNarrowed = Object.keys(others).length > 0;
  if (route === false) {
    if (!chosen && !isNarrowed) return "none";
    throw new UsageError(
      "--no-route cannot be used with conditions of a route",
      "Leave out --no-route, or the conditions.",
    );
  }
  if (chosen) return { kinds: chosen, ...others };
  if (dialog) return askForRoute(notifier, others, hasRoutes, dialog);
  return isNarrowed ? { ...(on ? {} : { kinds: usualKinds }), ...others } : undefined;
}

/**
 * Asks which kinds of event the notifier gets. If it reaches the user away from this machine, also asks when to use it,
 * unless the arguments say so.
 * @param others conditions from the arguments
 */
async function askForRoute(
  notifier: Pick<Notifier, "audience" | "at">,
  others: RouteConditions,
  hasRoutes: boolean,
  dialog: Dialog,
): Promise<RouteConditions | undefined> {
  const choices = kinds.map((value) => ({ value }));
  const answer = await dialog.selectMany("Which events should this notifier report?", choices, usualKinds);
  const mayBeElsewhere = notifier.audience === "person" && notifier.at !== "desk" && !others.when && !others.after;
  const moment = mayBeElsewhere
    ? whenConditions[await dialog.select("When should this notifier be used?", whenChoices)]
    : {};
  const conditions = { ...others, ...moment };
  const isUsual = answer.length === usualKinds.length && usualKinds.every((kind) => answer.includes(kind));
  if (isUsual && !hasRoutes && Object.keys(conditions).length === 0) return undefined;
  return { kinds: kinds.filter((kind) => answer.includes(kind)), ...conditions };
}

/** Route conditions for notifiers that reach the user away from this machine, by the user's choice. */
const whenConditions: Readonly<Record<string, RouteConditions>> = {
  always: {},
  away: { when: "away" },
  later: { after: "5m" },
};
const whenChoices = [
  { value: "always", label: "Always" },
  { value: "away", label: "Only when I am away from this machine" },
  { value: "later", label: "Only for requests and failures that are still open after 5 minutes" },
];
