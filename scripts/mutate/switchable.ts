import { parseSync } from "rolldown/experimental";
import type { Mutant } from "./mutants.ts";

/** Mutant that a running program turns on by its number. */
export interface NumberedMutant extends Mutant {
  readonly number: number;
}

/**
 * Puts all mutants into a source text. `MUTANT` in the environment is the number of the active one. If it is unset,
 * each mutant reached appends `<number> <MUTANT_TEST>` to the file `MUTANT_HITS`.
 * @param mutants mutants of this text that are `isSwitchable`
 */
export function withSwitches(text: string, mutants: readonly NumberedMutant[]): string {
  return mutants.length === 0 ? text : `${rendered(text, { start: 0, end: text.length }, mutants)}\n${isOn}\n`;
}

/** False if the mutant, or the choice between it and the original, cannot be parsed. */
export function isSwitchable(text: string, mutant: Mutant): boolean {
  const alone = withSwitches(text, [{ ...mutant, number: 0 }]);
  return [alone, mutated(text, mutant)].every((source) => parseSync("source.ts", source).errors.length === 0);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Renders a span of the text with every mutant inside it. */
function rendered(text: string, { start, end }: Span, mutants: readonly NumberedMutant[]): string {
  const [first, ...others] = mutants.toSorted((a, b) => a.within.start - b.within.start || b.within.end - a.within.end);
  if (!first) return text.slice(start, end);
  const { within } = first;
  const isInside = (mutant: Mutant): boolean => mutant.within.start < within.end;
  const original = rendered(text, within, others.filter(isInside));
  const rest = rendered(
    text,
    { start: within.end, end },
    others.filter((mutant) => !isInside(mutant)),
  );
  return text.slice(start, within.start) + choice(text, first, original) + rest;
}

function choice(text: string, mutant: NumberedMutant, original: string): string {
  const { start, end, replacement, within, number } = mutant;
  if (replacement === ";") return `if (!isMutantOn(${number})) { ${original} }`;
  const changed = text.slice(within.start, start) + replacement + text.slice(end, within.end);
  return `(isMutantOn(${number}) ? (${changed}) : (${original}))`;
}

function mutated(text: string, { start, end, replacement }: Mutant): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

const isOn = `function isMutantOn(number) {
  const { MUTANT, MUTANT_HITS, MUTANT_TEST } = process.env;
  if (MUTANT !== undefined) return MUTANT === String(number);
  const line = number + " " + MUTANT_TEST + "\\n";
  const seen = (globalThis.mutantsReached ??= new Set());
  if (MUTANT_HITS && !seen.has(line)) process.getBuiltinModule("node:fs").appendFileSync(MUTANT_HITS, line);
  seen.add(line);
  return false;
}`;
