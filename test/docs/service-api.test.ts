import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as service from "../../src/service.ts";
import { repository } from "../world/home.ts";

/** That the page is fresh is tested with all that is generated. */
const page = readFileSync(join(repository, "docs", "service-api.md"), "utf8");
const headings = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading);
const sectionOf = (heading: string): string =>
  new RegExp(`^### ${heading}\\n[^]*?(?=^##{1,2} )`, "m").exec(page)?.[0] ?? "";

test("everything that is exported has its heading, or its line among the schemas", () => {
  const named = new Set([...headings, ...[...page.matchAll(/^\| `(\w+Schema)` \|/gm)].map(([, name]) => name)]);
  const source = readFileSync(join(repository, "src", "service.ts"), "utf8");
  const lists = [...source.matchAll(/^export (?:type )?\{ (.+) \} from/gm)].map(([, list = ""]) => list);
  const types = lists.flatMap((list) => list.split(", ")).map((name) => name.replace("type ", ""));
  expect(types).toContain("CallOptions");
  expect([...types, ...Object.keys(service)].filter((name) => !named.has(name))).toEqual([]);
});

test.each(service.endpoints.map(({ name }) => name))("%s has its signature and comment", (name) => {
  const [resource = "", method = ""] = name.split(".");
  const signature = new RegExp(
    `^#### ${method}\n\n\`\`\`ts\n${method}\\(.*\\): (List|ServiceCall)<.*>\n[^]*?\`\`\`\n\n\\S`,
    "m",
  );
  expect(sectionOf(`client\\.${resource}`)).toMatch(signature);
});

test("rows have their fields, and named types instead of what these are made of", () => {
  expect(sectionOf("CreditsRow")).toContain("| `by_user` | `UserCredits[]` |");
  expect(sectionOf("HttpReply")).toContain(
    "| `truncated?` | `true` | Set where the body was longer than `maxReplyBytes`",
  );
  expect(page).toContain("take(count: number): Promise<Item[]>");
  expect(page).toContain("Throws `ServiceError`: an `IncompleteError` if fewer came and the service has more.");
});

test("nothing is there that is private or JavaScript's own", () => {
  expect(page).not.toMatch(/charCodeAt|toStringTag|stackTraceLimit|#load|__/);
  expect(headings.filter((heading) => heading === "constructor")).toEqual([]);
});
