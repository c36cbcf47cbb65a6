/** Who answers questions. Every answer is undefined once the user has had enough. */
export interface Dialog {
  select(question: string, choices: readonly DialogChoice[]): Promise<string | undefined>;
  selectMany(
    question: string,
    choices: readonly DialogChoice[],
    usual: readonly string[],
  ): Promise<string[] | undefined>;
  /** @param check says what is wrong with an answer, or nothing */
  text(question: string, options: TextOptions): Promise<string | undefined>;
  confirm(question: string, usual: boolean): Promise<boolean | undefined>;
}

export interface DialogChoice {
  readonly value: string;
  readonly hint?: string;
}

export interface TextOptions {
  /** Not shown while it is typed. */
  readonly secret?: boolean;
  readonly initial?: string;
  check(answer: string): string | undefined;
}

/** Questions on this process's terminal. Loaded only where somebody is asked. */
export async function terminalDialog(): Promise<Dialog> {
  const { confirm, isCancel, multiselect, password, select, text } = await import("@clack/prompts");
  const options = (choices: readonly DialogChoice[]) =>
    choices.map(({ value, hint }) => ({ value, label: value, ...(hint !== undefined && { hint }) }));
  const given = <T>(answer: T): Exclude<T, symbol> | undefined =>
    isCancel(answer) ? undefined : (answer as Exclude<T, symbol>);
  return {
    select: async (message, choices) => given(await select({ message, options: options(choices), maxItems: 12 })),
    selectMany: async (message, choices, usual) =>
      given(await multiselect({ message, options: options(choices), initialValues: [...usual] })),
    async text(message, { secret, initial, check }) {
      const validate = (answer: string | undefined) => check(answer ?? "");
      if (secret) return given(await password({ message, validate }));
      return given(await text({ message, validate, ...(initial !== undefined && { initialValue: initial }) }));
    },
    confirm: async (message, usual) => given(await confirm({ message, initialValue: usual })),
  };
}
