import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { repository } from "../world/home.ts";

/** Programs that read the OpenAPI document with real generators, which need a TypeScript of their own. */

const tools = ["openapi-typescript@7.13.0", "@hey-api/openapi-ts@0.95.0", "typescript@5.9.3"];
const cache = join(repository, "node_modules", ".cache", "beckon-generators");
const at = (name: string): string => join(cache, "node_modules", ".bin", name);
const run = (file: string, ...args: readonly string[]): string =>
  execFileSync(file, args, { cwd: cache, encoding: "utf8", stdio: "pipe" });

beforeAll(() => {
  mkdirSync(cache, { recursive: true });
  if (!tools.every((tool) => existsSync(join(cache, "node_modules", tool.replace(/@[\d.]+$/, "")))))
    run("npm", "install", "--no-audit", "--no-fund", "--prefix", cache, ...tools);
}, 300_000);

/** Reads a known setting, an unknown setting and a free object, and makes a tag with metadata. */
const body = `
const change: Change = { revision: 1, user: { id: "u", email: "a@b.c", name: "A" }, updatedAt: "", settings: {} };
export const ids: string[] | undefined = change.settings.modelPolicy?.allowedModelIds;
export const later: unknown = change.settings["notYetKnown"];
export const metadata: unknown = ({ id: "u", metadata: { truncateAt: 1 } } satisfies User).metadata.truncateAt;
export const session: NewSession = {
  computerId: "c1",
  sessionSettings: { tags: [{ name: "release", metadata: { team: "shop" } }] },
};
// @ts-expect-error a known setting has its type
export const wrong: number = change.settings.modelPolicy?.allowedModelIds;
`;

const document = join(repository, "docs", "openapi.json");
const compilers: Readonly<Record<string, (folder: string) => string>> = {
  "openapi-typescript": (folder) => {
    run(at("openapi-typescript"), document, "-o", join(folder, "api.ts"));
    return `import type { components, operations } from "./api.js";
type Change = components["schemas"]["ControlChange"];
type User = components["schemas"]["OrganizationUser"];
type NewSession = operations["sessionsCreate"]["requestBody"]["content"]["application/json"];`;
  },
  "@hey-api/openapi-ts": (folder) => {
    run(at("openapi-ts"), "-i", document, "-o", join(folder, "client"), "--silent");
    return `import type { ControlChange as Change, OrganizationUser as User, SessionsCreateData } from "./client/types.gen.js";
type NewSession = SessionsCreateData["body"];`;
  },
};

test.each(Object.entries(compilers))(
  "a program compiles against the types of %s",
  (_, generate) => {
    const folder = mkdtempSync(join(cache, "run-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const program = join(folder, "program.ts");
    writeFileSync(program, generate(folder) + body);
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2022", "--module", "nodenext"];
    expect(run(at("tsc"), ...options, program)).toBe("");
  },
  120_000,
);
