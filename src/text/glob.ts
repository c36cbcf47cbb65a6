import picomatch from "picomatch";

/** True for a text with a character that has a meaning in globs. */
export function isPattern(text: string): boolean {
  return /[*?[{(!]/.test(text);
}

/** Advice for a glob with a part that `explainPlainPart` finds. */
export const plainPartHint = "Repeat plain choices once, such as `+(a|b)`, or use `*`.";

/**
 * Explains which part of a glob picomatch matches as plain text, because as a pattern it could take seconds: a
 * repetition in a repetition, or one whose choices overlap or are empty. Undefined if there is none.
 */
export function explainPlainPart(glob: string): string | undefined {
  const part = picomatch.parse(glob).tokens.find(({ type, value, output }) => {
    return type === "text" && /^[*+]\(/.test(value) && /^\\[*+]\\\(/.test(output);
  });
  return part && `\`${part.value}\` could take very long to match, so it only matches exactly this text`;
}
