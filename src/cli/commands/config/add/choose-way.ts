import { begunWays } from "../../../../config/ways.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import type { Dialog } from "../../../dialog.ts";
import { optionOf, type Question } from "./questions.ts";

/**
 * A notifier's questions for one of its ways to send: the settings of that way are required, those of the others are
 * not asked for. It is the way that the known settings have begun, or the one that is chosen.
 * @throws {CancelledError}
 * @throws {UsageError} without a terminal, where no setting says which way
 */
export async function questionsOfOneWay(
  { ways }: Pick<Notifier, "ways">,
  questions: readonly Question[],
  known: Readonly<Record<string, unknown>>,
  dialog: Dialog | undefined,
): Promise<readonly Question[]> {
  if (!ways) return questions;
  const nameOf = (way: readonly string[]) => way.join(", ");
  const choose = async () => {
    const chosen = await dialog?.select("Which of these do you have?", ways.map(nameOf).map(asChoice));
    return ways.find((way) => nameOf(way) === chosen);
  };
  const way = begunWays(ways, known)[0] ?? (await choose());
  const questionsFor = (keys: readonly string[]) => questions.filter(({ key }) => keys.includes(key));
  if (!way) {
    const options = ways.map((keys) => questionsFor(keys).map(optionOf).join(" "));
    throw new UsageError("some settings are missing", `Add ${options.join(", or ")}`);
  }
  const asked = questionsFor(way).map((question) => ({ ...question, required: true }));
  return [...asked, ...questions.filter(({ key }) => !ways.flat().includes(key))];
}

const asChoice = (value: string) => ({ value });
