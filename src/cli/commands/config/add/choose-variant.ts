import { startedVariants } from "../../../../config/variants.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import type { Dialog } from "../../../dialog.ts";
import { formatOption, type Question } from "./questions.ts";

/**
 * Chooses one of a notifier's variants, by the known settings or by asking. Returns the variant's questions, all marked
 * as required.
 * @throws {CancelledError}
 * @throws {UsageError} if no setting decides and there is no terminal to ask on
 */
export async function chooseVariant(
  { variants }: Pick<Notifier, "variants">,
  questions: readonly Question[],
  known: Readonly<Record<string, unknown>>,
  dialog: Dialog | undefined,
): Promise<readonly Question[]> {
  if (!variants) return questions;
  const joinKeys = (keys: readonly string[]) => keys.join(", ");
  const choose = async () => {
    const chosen = await dialog?.select("Which credentials do you have?", variants.map(joinKeys).map(asChoice));
    return variants.find((keys) => joinKeys(keys) === chosen);
  };
  const variant = startedVariants(variants, known)[0] ?? (await choose());
  const questionsFor = (keys: readonly string[]) => questions.filter(({ key }) => keys.includes(key));
  if (!variant) {
    const options = variants.map((keys) => questionsFor(keys).map(formatOption).join(" "));
    throw new UsageError("some settings are missing", `Add ${options.join(", or ")}`);
  }
  const asked = questionsFor(variant).map((question) => ({ ...question, required: true }));
  return [...asked, ...questions.filter(({ key }) => !variants.flat().includes(key))];
}

const asChoice = (value: string) => ({ value });
