import leven from "leven";

/** Returns a hint with the nearest known word, or with all known words if no word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near) return `Did you mean \`${near}\`?`;
  return known.length === 0 ? "There are none." : `Known: ${known.join(", ")}.`;
}

/**
 * Finds the known word of which a word is a misspelling, with at most two wrong letters. Undefined if the word itself
 * is known.
 */
export function correctTypo(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return undefined;
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const most = Math.min(2, word.length / 3);
  return known.find((name) => leven(bare(word), bare(name)) <= most);
}

/** Lists the known words that differ from a given word by one letter, or by two after the first, nearest first. */
export function nearWords(word: string, known: readonly string[]): string[] {
  const ranked = known.map((name) => ({ name, distance: leven(word.toLowerCase(), name.toLowerCase()) }));
  const isNear = (name: string, distance: number): boolean =>
    distance < word.length && (distance <= 1 || (distance === 2 && name[0] === word[0]?.toLowerCase()));
  const near = ranked.filter(({ name, distance }) => isNear(name, distance));
  return near.sort((a, b) => a.distance - b.distance).map(({ name }) => name);
}

/** Finds the known word that a misspelled word probably means. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, distance: leven(word.toLowerCase(), name.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  if (best && best.distance <= Math.max(Math.min(2, word.length / 2), word.length / 3)) return best.name;
  return known.find((name) => name.length > 3 && word.startsWith(name)); // `lingerSeconds` for `linger`
}
