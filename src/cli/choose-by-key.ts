import { SelectPrompt, wrapTextWithPrefix } from "@clack/core";
import { S_BAR, S_BAR_END, S_RADIO_ACTIVE, S_RADIO_INACTIVE, symbol } from "@clack/prompts";
import picocolors from "picocolors";
import type { Choice } from "./dialog.ts";

/**
 * Asks for one choice. The user selects it with the arrow keys and Enter, or presses the key that is the choice's
 * value, a lower-case letter. At the start the first choice is selected. Returns the library's symbol if the user cancels.
 */
export function chooseByKey(
  message: string,
  choices: readonly Choice[],
  output: NodeJS.WriteStream,
): Promise<string | symbol | undefined> {
  const { dim, gray, cyan, green } = picocolors;
  const prompt = new SelectPrompt({
    options: [...choices],
    output,
    render() {
      const head = wrapTextWithPrefix(output, message, `${gray(S_BAR)}  `, `${symbol(this.state)}  `);
      const above = `${gray(S_BAR)}\n${head}\n`;
      if (this.state === "cancel") return `${above}${gray(S_BAR)}`;
      const chosen = choices[this.cursor];
      if (this.state === "submit") return `${above}${gray(S_BAR)}  ${dim(chosen?.label ?? chosen?.value ?? "")}`;
      const lines = choices.map(({ value, label = value, hint }, index) => {
        const notes = dim(hint === undefined ? `(${value})` : `(${value}: ${hint})`);
        return index === this.cursor
          ? `${green(S_RADIO_ACTIVE)} ${label} ${notes}`
          : `${dim(S_RADIO_INACTIVE)} ${dim(label)} ${notes}`;
      });
      const keys = choices.map(({ value }) => value).join("/");
      const footer = `${dim("↑/↓")} to navigate • ${dim("Enter:")} confirm • ${dim(`${keys}:`)} choose at once`;
      const body = [...lines, footer].map((line) => wrapTextWithPrefix(output, line, `${cyan(S_BAR)}  `));
      return `${above}${body.join("\n")}\n${cyan(S_BAR_END)}\n`;
    },
  });
  prompt.on("key", (key) => {
    const index = choices.findIndex(({ value }) => value === key?.toLowerCase());
    if (index < 0) return;
    prompt.cursor = index;
    prompt.value = choices[index]?.value;
    prompt.state = "submit";
  });
  return prompt.prompt();
}
