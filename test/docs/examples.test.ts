import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { parseConfig } from "../../src/config/parse.ts";
import { webhookBodySchema } from "../../src/notifiers/shared/webhook-body-schema.ts";
import { repository } from "../world/home.ts";

const pages = ["README.md", ...readdirSync(join(repository, "docs")).map((file) => `docs/${file}`)];

interface Example {
  readonly page: string;
  readonly text: string;
}

/** The fenced examples of a language in all pages. */
function examplesIn(language: string): Example[] {
  const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
  return pages
    .filter((page) => page.endsWith(".md"))
    .flatMap((page) =>
      [...readFileSync(join(repository, page), "utf8").matchAll(fence)].map(([, text = ""]) => ({ page, text })),
    );
}

/** A single notifier, as docs/notifiers.md shows it, becomes a whole file. */
function wholeFile(text: string): string {
  return text.startsWith("{") ? text : `{ "notifiers": { ${text} } }`;
}

test("every configuration in the documents is valid", async () => {
  const examples = examplesIn("jsonc");
  expect(examples.filter(({ page }) => page === "README.md")).toHaveLength(5);
  expect(examples.filter(({ page }) => page === "docs/attention.md")).toHaveLength(8);
  const findings = examples.map(async ({ page, text }) => ({ page, text, ...(await parseConfig(wholeFile(text))) }));
  const invalid = (await Promise.all(findings)).filter((checked) => checked.findings.length > 0);
  expect(invalid.map(({ page, text, findings }) => ({ page, text, findings }))).toEqual([]);
});

test("the example of an event fits its schema", () => {
  const [example] = examplesIn("json").filter(({ text }) => text.includes('"agent.stop"'));
  const event: unknown = JSON.parse(example?.text ?? "");
  expect(webhookBodySchema.parse(event)).toEqual(event);
});

test("the example of a module posts what it says", async () => {
  const [example] = examplesIn("js");
  const file = join(mkdtempSync(join(tmpdir(), "beckon-example-")), "lamp.mjs");
  writeFileSync(file, example?.text ?? "");
  const { notifier } = await import(pathToFileURL(file).href);
  const posted: unknown[] = [];
  const ports = { http: { post: async (request: unknown) => void posted.push(request) } };
  await notifier.send({ message: { kind: "failed" }, settings: { lamp: 3 }, ports });
  expect(posted).toEqual([{ url: "http://lamp.local/", body: '{"lamp":3,"colour":"red"}' }]);
});
