import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../../src/agents/registry.ts";
import { createFullProgram } from "../../src/cli/program.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { shellWord } from "../../src/installer/agents/command-line.ts";
import { type InstallableAgent, installable, nameSnippet } from "../../src/installer/agents/installable.ts";
import { wantedEntries } from "../../src/installer/agents/wanted-entries.ts";
import { newFileText } from "../../src/installer/plan-file.ts";
import { documentBlocks, webhookBodyJsonSchema } from "./blocks.ts";
import { configJsonSchema } from "./config-schema.ts";
import { openApiDocument } from "./open-api.ts";

/**
 * Generates all generated files: the pages of docs/ with their marked parts filled, two JSON schemas, an OpenAPI
 * document, settings snippets, and the hooks' neutral replies.
 * @param root the repository
 * @returns texts by path, relative to the root
 */
export async function generatedFiles(root: string): Promise<Readonly<Record<string, string>>> {
  const pages = readdirSync(join(root, "docs")).filter((file) => file.endsWith(".md"));
  const files = pages.map((page) => `docs/${page}`);
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
  const filled = fillBlocks(texts, await documentBlocks(await createFullProgram()));
  return {
    ...Object.fromEntries(files.map((file, index) => [file, filled[index] ?? ""])),
    "templates/config.schema.json": json(await configJsonSchema()),
    "docs/webhook-body.schema.json": json(webhookBodyJsonSchema()),
    "docs/openapi.json": json(openApiDocument()),
    "hooks/hook.sh": withNeutralReplies(readFileSync(join(root, "hooks/hook.sh"), "utf8")),
    "src/hook/neutral-replies.ts": neutralRepliesModule(),
    ...settingsSnippets(),
    ...addressedFiles(root),
  };
}

/** Returns the files that name the repository, with the address that `repository` in package.json has. */
export function addressedFiles(root: string): Readonly<Record<string, string>> {
  const files = ["package.json", "README.md", "CHANGELOG.md", ".github/ISSUE_TEMPLATE/config.yml"];
  const texts = files.map((file) => readFileSync(join(root, file), "utf8"));
  const anyAddress = /github\.com\/[\w.-]+\/beckon/g;
  const { repository } = JSON.parse(texts[0] ?? "") as { readonly repository: { readonly url: string } };
  const [address = ""] = repository.url.match(anyAddress) ?? [];
  return Object.fromEntries(files.map((file, index) => [file, (texts[index] ?? "").replace(anyAddress, address)]));
}

/**
 * Puts generated blocks between their marks, `<!-- begin NAME -->` and `<!-- end NAME -->`, in several documents.
 * @returns the documents in the same order
 * @throws {Error} for a mark without a block, and for a block without a mark
 */
export function fillBlocks(texts: readonly string[], blocks: Readonly<Record<string, string>>): string[] {
  const filled = new Set<string>();
  const results = texts.map((text) =>
    text.replace(
      /(<!-- begin (\S+) -->\n)[\s\S]*?(<!-- end \2 -->)/g,
      (_, begin: string, name: string, end: string) => {
        const block = blocks[name];
        if (block === undefined) throw new Error(`a document has a mark "${name}", but there is no such block`);
        filled.add(name);
        return `${begin}\n${block}\n\n${end}`;
      },
    ),
  );
  const missing = Object.keys(blocks).filter((name) => !filled.has(name));
  if (missing.length > 0) throw new Error(`no document has a mark for: ${missing.join(", ")}`);
  return results;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

const block = /(^ *# begin neutral replies\n)[\s\S]*?(^ *# end neutral replies$)/m;
const replies = agents.flatMap(({ name, neutralReply }) => (neutralReply ? [{ name, neutralReply }] : []));

/**
 * Returns the launcher's text with the cases for agents that expect a reply, between the marks `# begin neutral
 * replies` and `# end neutral replies`. They are generated because loading the agents would take a hook too much time.
 * @throws {Error} for a launcher without the marks
 */
export function withNeutralReplies(launcher: string): string {
  if (!block.test(launcher)) throw new Error("hooks/hook.sh lacks the marks of its neutral replies");
  const cases = replies.map(({ name, neutralReply }) => `    ${name}) printf '%s' ${shellWord(neutralReply)} ;;\n`);
  return launcher.replace(block, (_, begin: string, end: string) => `${begin}${cases.join("")}${end}`);
}

/** Returns the source of the module with the same replies for compiled entrypoints. */
function neutralRepliesModule(): string {
  const entries = replies.map(({ name, neutralReply }) => `  ${name}: ${quoted(neutralReply)},\n`);
  return `/** Hook output that keeps an agent's screen unchanged; hooks of other agents print nothing. Written by \`npm run docs\`. */
export const neutralReplies: Readonly<Record<string, string>> = {
${entries.join("")}};
`;
}

/** Formats a text as a string literal, with the quotes that the formatter would choose. */
function quoted(text: string): string {
  return /^[^'\\]*"[^'\\]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}

const environment = { home: "/home/you", project: "/home/you", env: {}, platform: "linux" } as const;

/**
 * Builds templates/settings/ by path: what the installer writes into a missing settings file, for each agent whose
 * settings people edit.
 */
export function settingsSnippets(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    installable.flatMap((agent) => {
      const name = nameSnippet(agent);
      return name === undefined ? [] : [[`templates/settings/${name}`, snippetFor(agent)]];
    }),
  );
}

function snippetFor(agent: InstallableAgent): string {
  const { settings } = agent;
  const { home, platform } = environment;
  const paths = resolvePaths(`${home}/.beckon`);
  const file = settings.files("user", environment).at(-1);
  if (!file) throw new Error(`${agent.name} has no settings file for the user`);
  return newFileText(file, wantedEntries({ agent, events: undefined, waitSeconds: 0, paths, home, platform }));
}
