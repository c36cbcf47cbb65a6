/**
 * Converts the rules of gitleaks, a public list of secret formats, to `src/text/mask/public-rules.json`. Run it from
 * time to time with a tag or commit, and optionally a checkout's path: `npm run secret-rules v8.30.0`. Commit the
 * result once the tests of `test/text/mask` pass.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const repository = "gitleaks/gitleaks";
const output = join(import.meta.dirname, "..", "src", "text", "mask", "public-rules.json");

/** Rules to omit: beckon has better ones, or they are for whole files, or for data that is not secret. */
const excludedRules =
  /^(?:curl-|kubernetes-|private-key|generic-|hashicorp-tf-password|nuget-|.*webhook|sidekiq-|sourcegraph-|jwt-base64|facebook-access-token|vault-service-token)|client-id$|public-key$|access-id$|publishable/;

const nameThenSign = /\(\?:((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)\(\?:\[ \\t\\w\.-\]\{0,20\}\)/;
const valueInQuotes = /\{0,5\}\(((?:[^()]|\([^()]*\))+)\)\(\?:\[\\x60/;
const ends = [/\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$/, /\(\?:\[\^[^\]]*\]\|\\z\)$/, /\\b$/];

interface Rule {
  readonly id: string;
  readonly regex: string;
  readonly keywords: readonly string[];
}

function readRules(toml: string): Rule[] {
  return toml.split("[[rules]]").flatMap((block) => {
    const [, id] = /^id = "(.+)"$/m.exec(block) ?? [];
    const [, regex] = /^regex = '''(.+)'''$/m.exec(block) ?? [];
    const [, keywords = ""] = /^keywords = \[([^\]]*)\]/m.exec(block) ?? [];
    if (id === undefined || regex === undefined || excludedRules.test(id)) return [];
    return [{ id, regex, keywords: [...keywords.matchAll(/"([^"]+)"/g)].map(([, word = ""]) => word) }];
  });
}

/** Converts a Go pattern to JavaScript. A pattern that ignores case in one part ignores it everywhere. */
function convert(regex: string): { readonly source: string; readonly flags: string } {
  const flags = /\(\?i[:)]/.test(regex) ? "i" : "";
  const source = regex
    .replaceAll(/\(\?i\)/g, "")
    .replaceAll(/\(\?-?i:/g, "(?:")
    .replaceAll("[[:alnum:]]", "[A-Za-z0-9]")
    .replaceAll("\\z", "$");
  return { source, flags };
}

function isPattern(source: string): boolean {
  try {
    return new RegExp(source).source !== "";
  } catch {
    return false;
  }
}

/**
 * Converts a rule for a token with a recognizable format to `[keywords, pattern]`; undefined if it needs a name before
 * the token.
 */
function convertForm({ regex, keywords }: Rule): [string, string, string] | undefined {
  const { source, flags } = convert(regex);
  const bare = ends.reduce((left, end) => left.replace(end, ""), source).replace(/^\\b/, "");
  return isPattern(bare) && keywords.length > 0 ? [keywords.join(" "), bare, flags] : undefined;
}

/** Converts a rule for a secret after a name to `[keywords, names, value]`. */
function convertNamed({ regex, keywords }: Rule): [string, string, string] | undefined {
  const { source } = convert(regex);
  const [names, value] = [nameThenSign.exec(source)?.[1], valueInQuotes.exec(source)?.[1]];
  if (names === undefined || value === undefined || !isPattern(names) || !isPattern(value)) return undefined;
  return [keywords.join(" "), names, value];
}

async function read(version: string, path: string): Promise<string> {
  const [checkout] = process.argv.slice(3);
  if (checkout !== undefined) return readFileSync(join(checkout, path), "utf8");
  const reply = await fetch(`https://raw.githubusercontent.com/${repository}/${version}/${path}`);
  if (!reply.ok) throw new Error(`${path} of ${version}: ${reply.status}`);
  return reply.text();
}

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error("which version? a tag or commit of gitleaks");
const rules = readRules(await read(version, "config/gitleaks.toml"));
const isNamed = ({ regex }: Rule): boolean => nameThenSign.test(regex);
const sorted = (rows: readonly (readonly string[] | undefined)[]) =>
  [...new Set(rows.filter((row) => row !== undefined).map((row) => JSON.stringify(row)))].toSorted();
const forms = sorted(rules.filter((rule) => !isNamed(rule)).map(convertForm));
const named = sorted(rules.filter(isNamed).map(convertNamed));
const list = (rows: readonly string[]): string => `[\n    ${rows.join(",\n    ")}\n  ]`;
writeFileSync(
  output,
  `{
  "source": "https://github.com/${repository}/blob/${version}/config/gitleaks.toml",
  "fetched": "${new Date().toISOString().slice(0, 10)}",
  "licence": ${JSON.stringify((await read(version, "LICENSE")).trim())},
  "forms": ${list(forms)},
  "named": ${list(named)}
}
`,
);
console.info(`${forms.length} forms and ${named.length} names of ${rules.length} rules`);
