/**
 * Puts generated blocks between their marks, `<!-- begin NAME -->` and `<!-- end NAME -->`, in several documents.
 * @throws {Error} for a mark without a block and a block without a mark, so that neither rots
 */
export function fillBlocks(texts: readonly string[], blocks: Readonly<Record<string, string>>): string[] {
  const filled = new Set<string>();
  const results = texts.map((text) =>
    text.replace(
      /(<!-- begin (\S+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
      (_, begin: string, name: string, end: string) => {
        const block = blocks[name];
        if (block === undefined) throw new Error(`there is a block "${name}" that nothing generates`);
        filled.add(name);
        return `${begin}\n${block}\n\n${end}`;
      },
    ),
  );
  const missing = Object.keys(blocks).filter((name) => !filled.has(name));
  if (missing.length > 0) throw new Error(`the documents lack the blocks ${missing.join(", ")}`);
  return results;
}
