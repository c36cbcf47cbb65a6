import { startedVariants } from "../../../../config/check.ts";
import { UsageError } from "../../../../core/errors.ts";
import type { Notifier } from "../../../../core/notifier.ts";
import type { Asker } from "./asker.ts";
import { formatOption, type Question } from "./questions.ts";

/**
 * Chooses one of a notifier's variants, by the known settings or by asking. Returns the variant's questions, marked as
 * required, and the questions that belong to no variant.
 * @throws {CancelledError}
 * @throws {UsageError} if no setting decides and there is no dialog
 */
export async function chooseVariant(
  { variants }: Pick<Notifier, "variants">,
  questions: readonly Question[],
  known: Readonly<Record<string, unknown>>,
  asker: Pick<Asker, "dialog" | "guide"> | undefined,
): Promise<readonly Question[]> {
  if (!variants) return questions;
  const choose = async () => {
    const choices = variants.map((keys, index) => {
      const names = keys.join(", ");
      const label = asker?.guide.variants?.[index];
      return label === undefined ? { value: names } : { value: names, label, hint: names };
    });
    const chosen = await asker?.dialog.select("How do you want to send?", choices);
    return variants.find((keys) => keys.join(", ") === chosen);
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
