import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createFullProgram } from "../cli/program.ts";
import { configJsonSchema } from "../config/json-schema.ts";
import { documentBlocks } from "./blocks.ts";
import { neutralRepliesModule, withNeutralReplies } from "./neutral-replies.ts";
import { openApiDocument } from "./open-api.ts";
import { outputTypes } from "./output-types.ts";
import { settingsSnippets } from "./settings-snippets.ts";
import { webhookBodyJsonSchema } from "./webhook-body-schema.ts";

/**
 * Generates all generated files: the pages of docs/ with their marked parts filled, two JSON schemas, an OpenAPI
 * document, types of outputs, settings snippets, and the hooks' neutral replies.
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
    "docs/output.d.ts": outputTypes(),
    "hooks/hook.sh": withNeutralReplies(readFileSync(join(root, "hooks/hook.sh"), "utf8")),
    "src/hook/neutral-replies.ts": neutralRepliesModule(),
    ...settingsSnippets(),
  };
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
