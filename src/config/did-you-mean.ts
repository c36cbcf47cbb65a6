import leven from "leven";

/** A hint that names the known word nearest to a wrong one, or, where none is near, all of them. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  if (near) return `Did you mean \`${near}\`?`;
  return known.length === 0 ? "There is none." : `Known: ${known.join(", ")}.`;
}

/**
 * The known word that an unknown one is a slip of the pen for, by at most two letters; undefined for any other word.
 */
export function typoOf(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return undefined;
  const bare = (text: string) => text.toLowerCase().replace(/[^a-z]/g, "");
  const most = Math.min(2, word.length / 3);
  return known.find((name) => leven(bare(word), bare(name)) <= most);
}

/** The known word that a wrong one was probably meant to be, if any is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known.map((name) => ({ name, distance: leven(word.toLowerCase(), name.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  if (best && best.distance <= Math.max(2, word.length / 3)) return best.name;
  return known.find((name) => name.length > 3 && word.startsWith(name)); // `lingerSeconds` for `linger`
}
