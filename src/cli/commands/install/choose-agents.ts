/** One thing that can be chosen. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** Chosen before anybody touches it. */
  readonly isUsual: boolean;
  /** Shown, and not to be chosen. */
  readonly isBarred: boolean;
}

/** A question on the terminal that is answered with yes or no; false when it is cancelled. */
export async function askOnTerminal(question: string): Promise<boolean> {
  // Loaded only where somebody is asked.
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question });
  return !isCancel(answer) && answer;
}

/** Which of several, at least one; undefined when it is cancelled. */
export async function chooseOnTerminal(question: string, choices: readonly Choice[]): Promise<string[] | undefined> {
  const { isCancel, multiselect } = await import("@clack/prompts");
  const answer = await multiselect({
    message: question,
    options: choices.map(({ value, label, hint, isBarred }) => ({
      value,
      label,
      ...(hint !== undefined && { hint }),
      disabled: isBarred,
    })),
    initialValues: choices.filter(({ isUsual, isBarred }) => isUsual && !isBarred).map(({ value }) => value),
    required: true,
  });
  return isCancel(answer) ? undefined : answer;
}
