import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { languages, loadCatalogue } from "../../src/config/catalogues.ts";
import { dist } from "../world/home.ts";
import { useHome } from "../world/use-home.ts";

const others = languages.filter((language) => language !== "en");

/** Collects all texts of a catalogue by path; the forms of a counted text share one path, `…#`. */
async function collectTexts(language: (typeof languages)[number]): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  const walk = (value: unknown, path: string): void => {
    if (typeof value === "string") found.set(path, [...(found.get(path) ?? []), value]);
    else
      for (const [key, part] of Object.entries(value as object)) {
        walk(part, /^(zero|one|two|few|many|other)$/.test(key) ? `${path}#` : `${path}.${key}`);
      }
  };
  const { language: _, ...texts } = await loadCatalogue(language);
  walk(texts, "");
  return found;
}

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).toSorted();
const wordsIn = (text: string) => text.replace(/\{\w+\}|`[^`]+`/g, " ").match(/\p{L}{2,}/gu) ?? [];

describe.each(others)("the catalogue of %s", (language) => {
  test("has the English texts, with the same names in each", async () => {
    const [texts, english] = [await collectTexts(language), await collectTexts("en")];
    expect([...texts.keys()]).toEqual([...english.keys()]);
    for (const [path, forms] of texts) {
      const wanted = (english.get(path) ?? []).map(namesIn);
      for (const form of forms) {
        const isSingular = path.endsWith("#") && !form.includes("{n}");
        const names = isSingular ? [...namesIn(form), "n"].toSorted() : namesIn(form);
        expect(names, path).toEqual(wanted.at(-1));
      }
    }
  });

  test("has exactly the plural forms of the language", async () => {
    const catalogue = await loadCatalogue(language);
    const { line: _, ...titles } = catalogue.groups;
    const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
    for (const text of [...Object.values(titles), catalogue.notices.configurationErrors]) {
      expect(Object.keys(text).toSorted()).toEqual(wanted);
    }
  });

  test("has no English texts", async () => {
    const [texts, english] = [await collectTexts(language), await collectTexts("en")];
    for (const [path, forms] of texts) {
      for (const form of forms) {
        if (wordsIn(form).length > 1) expect(english.get(path), path).not.toContain(form);
      }
    }
  });

  test("has the punctuation of its language", async () => {
    const all = [...(await collectTexts(language)).values()]
      .flat()
      .join("\n")
      .replace(/`[^`]+`|\{\w+\}/g, "x");
    if (language === "ja" || language === "zh") expect(all).not.toMatch(/[,:;!?()]|\w\.(?!\w)/);
    if (language === "fr") expect(all).not.toMatch(/[^\u00a0\u202f][:;!?]|'/);
  });
});

describe("the built programs", () => {
  const home = useHome();

  test("send every notifier its messages in its own language, or the common one", async () => {
    const file = (name: string) => join(home.paths.root, name);
    const entry = (name: string, more = {}) => ({ type: "file", path: file(name), ...more });
    const notifiers = { one: entry("one.jsonl"), other: entry("other.jsonl", { language: "ja" }) };
    home.writeConfig({ language: "de", notifiers });
    const titlesIn = (name: string) =>
      readFileSync(file(name), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).data.title.replace(/@\S+/, "")); // a container's name
    execFileSync(process.execPath, [join(dist, "cli.js"), "test", "one", "other"], { env: home.env });
    await home.launch(["Notification", "--agent", "droid"], JSON.stringify({ cwd: "/code/shop", message: "?" }));
    await home.until((journal) => journal.filter(({ status }) => status === "sent").length === 4);
    expect(titlesIn("one.jsonl")).toEqual(["beckon braucht dich", "shop · Droid braucht dich"]);
    expect(titlesIn("other.jsonl")).toEqual(["beckon：対応が必要です", "shop · Droid：対応が必要です"]);
  });
});
