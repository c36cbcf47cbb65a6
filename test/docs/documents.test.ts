import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { webhookBodyJsonSchema } from "../../scripts/docs/blocks.ts";
import {
  addressedFiles,
  fillBlocks,
  generatedFiles,
  settingsSnippets,
  withNeutralReplies,
} from "../../scripts/docs/generated-files.ts";
import { agents } from "../../src/agents/registry.ts";
import { parseConfig } from "../../src/config/parse.ts";
import type { Message } from "../../src/core/message.ts";
import { neutralReplies } from "../../src/hook/neutral-replies.ts";
import { type WebhookBody, webhookBodySchema } from "../../src/notifiers/shared/webhook-body-schema.ts";
import * as service from "../../src/service.ts";
import { oldestNode } from "../../src/text/version.ts";
import versions from "../platforms/versions.json" with { type: "json" };
import { freshFolder } from "../world/fresh-folder.ts";
import { repository } from "../world/home.ts";
import { useStubPrograms } from "../world/stub-programs.ts";

const readText = (file: string): string => readFileSync(join(repository, file), "utf8");

describe("documents", () => {
  const pages = readdirSync(join(repository, "docs")).filter((file) => file.endsWith(".md"));
  const ofRepository = "README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md".split(" ");
  const documents = [...ofRepository, ...pages.map((page) => `docs/${page}`)];

  /**
   * Finds the links and pictures of a page that lead to other files or parts of the repository. `to` is relative to the
   * repository.
   */
  function findLinks(from: string) {
    const text = withoutCode(readText(from));
    const targets = [...text.matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset)="([^"]+)"/g)];
    return targets
      .map(([, link, image]) => link ?? image ?? "")
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => {
        const [path = "", anchor] = target.split("#");
        return { from, to: path === "" ? from : posix.join(dirname(from), path), anchor };
      });
  }

  function withoutCode(text: string): string {
    return text.replace(/^```[\s\S]*?^```/gm, "").replace(/`[^`\n]*`/g, (span) => span.replaceAll("]", ""));
  }

  /**
   * Finds the anchors that GitHub gives to a page's headings: https://docs.github.com/en/get-started/writing-on-github
   */
  function findAnchors(file: string): string[] {
    const headings = [...readText(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => heading.toLowerCase());
    const plain = headings.map((heading) => heading.replace(/[^\p{L}\p{N}\s_-]/gu, ""));
    return plain.map((heading) => heading.trimEnd().replaceAll(" ", "-"));
  }

  const links = documents.flatMap(findLinks);

  test("every link leads to a file of the repository", () => {
    expect(links.filter(({ to }) => !existsSync(join(repository, to)))).toEqual([]);
  });

  test("every link to a part of a page finds its heading", () => {
    const lost = links.filter(({ to, anchor }) => anchor !== undefined && !findAnchors(to).includes(anchor));
    expect(lost).toEqual([]);
  });

  test("every link leads to a file of the tarball", () => {
    const packed = [...manifest.files, "README.md", "LICENSE", "package.json"];
    const isPacked = (file: string) => packed.some((entry) => file === entry || file.startsWith(`${entry}/`));
    expect(links.filter(({ to }) => !isPacked(to))).toEqual([]);
  });

  test("every source path in a document exists", () => {
    const rooms = /`((?:src|hooks|test|templates|bench|scripts|\.ci)\/[\w./-]*)`/g;
    const listPaths = (file: string) => [...readText(file).matchAll(rooms)].map(([, path = ""]) => ({ file, path }));
    const named = documents.flatMap(listPaths);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ path }) => !existsSync(join(repository, path)))).toEqual([]);
  });

  test("documents, CI and the platforms' tests name the oldest Node that package.json allows", () => {
    const texts = [...documents, "AGENTS.md", "docs/devcontainer/beckon/install.sh"].map(readText);
    const named = [...texts.join("\n").matchAll(/Node (\d[\d.]*)\s+or\s+newer/g)].map(([, version]) => version);
    expect(named).toEqual(Array.from({ length: 6 }, () => oldestNode));
    expect(versions.oldest.version).toBe(`${oldestNode}.0`);
    expect(readText("docs/platforms.md")).toContain(`| Node | ${oldestNode}, 20,`);
    expect(readText(".github/workflows/ci.yml")).toContain(`node: ["${oldestNode}", 22,`);
  });

  test("generated parts are up to date: npm run docs writes them", async () => {
    const fresh = Object.entries(await generatedFiles(repository));
    expect(fresh.filter(([file, text]) => readText(file) !== text).map(([file]) => file)).toEqual([]);
  });

  test("the README has at most 950 words", () => {
    expect(readText("README.md").split(/\s+/).length).toBeLessThanOrEqual(950);
  });

  test("the owner in package.json is filled into every address, as the check before a release wants it", () => {
    const root = freshFolder();
    const check = () => {
      const { status, stderr } = spawnSync(process.execPath, ["scripts/check-release.mjs", `v${manifest.version}`], {
        cwd: root,
        encoding: "utf8",
      });
      return { status, problems: stderr.trim().split("\n").length };
    };
    for (const file of [...Object.keys(addressedFiles(repository)), "scripts/check-release.mjs"])
      cpSync(join(repository, file), join(root, file), { recursive: true });
    expect(check()).toEqual({ status: 1, problems: 5 });
    const write = (file: string, text: string) => writeFileSync(join(root, file), text);
    write(
      "package.json",
      readText("package.json").replace("git+https://github.com/OWNER/", "git+https://github.com/a-stand.in/"),
    );
    write("CHANGELOG.md", readText("CHANGELOG.md").replace("## [Unreleased]", `## [${manifest.version}]`));
    for (const [file, text] of Object.entries(addressedFiles(root))) write(file, text);
    expect(check()).toEqual({ status: 0, problems: 1 });
    expect(readFileSync(join(root, "README.md"), "utf8")).toContain(
      "git clone https://github.com/a-stand.in/beckon.git",
    );
  });
});

describe("devcontainer", () => {
  const feature = join(repository, "docs/devcontainer/beckon");
  const options = (JSON.parse(readFileSync(join(feature, "devcontainer-feature.json"), "utf8")) as Feature).options;
  interface Feature {
    readonly options: Readonly<Record<string, { readonly default: string | boolean; readonly description: string }>>;
  }

  const stubs = useStubPrograms();
  beforeEach(() => {
    cpSync(feature, join(stubs.folder, "feature"), { recursive: true });
    for (const program of ["npm", "beckon"]) stubs.add(program, `echo "${program} $*" >> "$HOME/log"`);
    // As util-linux' su runs a command as a user, here the current one.
    const isSu = '[ "$1 $2 $3 $5 $6" = "-s /bin/sh -c -- vscode" ]';
    stubs.add("su", `${isSu} && script=$4 && shift 6 && exec /bin/sh -c "$script" "$@"`);
  });

  function install(env: NodeJS.ProcessEnv = {}) {
    const path = `${stubs.folder}:/usr/bin:/bin`;
    const all = { ...stubs.env, PATH: path, _REMOTE_USER: "vscode", ...env };
    const { status, stderr } = spawnSync("/bin/sh", [join(stubs.folder, "feature/install.sh")], { env: all });
    return { status, stderr: stderr.toString() };
  }
  const log = () => readFileSync(join(stubs.folder, "log"), "utf8").trim().split("\n");

  test("the dev container's feature installs the neighbouring tarball, with the user's hooks", () => {
    const tarball = join(stubs.folder, "feature", `beckon-${manifest.version}.tgz`);
    writeFileSync(tarball, "");
    expect(install({ AGENTS: "claude codex", WAIT: "0", TERMINAL: "false" })).toEqual({ status: 0, stderr: "" });
    const installed = "beckon install --yes --wait 0 --agent claude --agent codex";
    expect(log()).toEqual([`npm install --global ${tarball}`, installed]);
  });

  test("its defaults match its description", () => {
    const defaults = Object.entries(options).map(([name, option]) => [name.toUpperCase(), String(option.default)]);
    install({ ...Object.fromEntries(defaults), PACKAGE: "https://example.org/beckon.tgz" });
    const withDefaults = log();
    expect(agents.map(({ name }) => name as string)).toContain(options["agents"]?.default);
    expect(withDefaults).toEqual([
      "npm install --global https://example.org/beckon.tgz",
      "beckon install --yes --wait 10 --agent claude",
      "beckon config add terminal --alone --no-test",
    ]);
    for (const { description } of Object.values(options)) expect(description).toMatch(/\.$/);
  });

  test("without a package it gives advice, and changes nothing", () => {
    expect(install()).toEqual({ status: 1, stderr: expect.stringMatching(/No package: put beckon's tarball/) });
  });
});

describe("examples", () => {
  const pages = ["README.md", ...readdirSync(join(repository, "docs")).map((file) => `docs/${file}`)];

  /** Collects the fenced examples of a language in all pages. */
  function examplesIn(language: string) {
    const fence = new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "gm");
    return pages
      .filter((page) => page.endsWith(".md"))
      .flatMap((page) => [...readText(page).matchAll(fence)].map(([, text = ""]) => ({ page, text })));
  }

  /** Makes a whole file of a single notifier, as docs/notifiers.md shows it. */
  function wholeFile(text: string): string {
    return text.startsWith("{") ? text : `{ "notifiers": { ${text} } }`;
  }

  test("every configuration in the documents is valid", async () => {
    const examples = examplesIn("jsonc");
    expect(examples.filter(({ page }) => page === "docs/configuration.md")).toHaveLength(8);
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

  test("the example module posts the documented text", async () => {
    const [example] = examplesIn("js").filter(({ page }) => page === "docs/writing-a-notifier.md");
    const file = join(mkdtempSync(join(tmpdir(), "beckon-example-")), "lamp.mjs");
    writeFileSync(file, example?.text ?? "");
    const { notifier } = await import(pathToFileURL(file).href);
    const posted: unknown[] = [];
    const ports = { http: { post: async (request: unknown) => void posted.push(request) } };
    await notifier.send({ message: { kind: "failed" }, settings: { lamp: 3 }, ports });
    expect(posted).toEqual([{ url: "http://lamp.local/", body: '{"lamp":3,"colour":"red"}' }]);
  });
});

const text = "before\n<!-- begin one -->\nold\n<!-- end one -->\nafter\n";

test("a mark without a block, and a block without a mark, are errors", () => {
  expect(() => fillBlocks([text], {})).toThrow('a mark "one", but there is no such block');
  expect(() => fillBlocks([text], { one: "", two: "" })).toThrow("no document has a mark for: two");
});

test("each agent's reply is in both, and no other", () => {
  const declared = agents.flatMap(({ name, neutralReply }) => (neutralReply ? [[name, neutralReply] as const] : []));
  expect(neutralReplies).toEqual(Object.fromEntries(declared));
  const [reply = ""] = /^reply\(\) \{\n[\s\S]*?^\}/m.exec(readText("hooks/hook.sh")) ?? [];
  const printed = (agent: string) => execFileSync("sh", ["-c", `${reply}\nagent=$1\nreply`, "sh", agent]).toString();
  for (const { name, neutralReply = "" } of agents) expect(printed(name), name).toBe(neutralReply);
});

test("a launcher without the marks is an error", () => {
  expect(() => withNeutralReplies("reply() { :; }\n")).toThrow("lacks the marks");
});

/** Reads the lines of an operation's section in the reference. */
function readOperation(name: string): string[] {
  const [, section = ""] = readText("docs/service-api.md").split(`### ${name}\n`);
  return section.split(/^##/m)[0]?.split("\n") ?? [];
}

test.each(service.endpoints)("the reference has request, call, row and roles of $name", (endpoint) => {
  const { name, method, base, path } = endpoint;
  const lines = readOperation(name);
  expect(lines).toContain(`${method} {${base}}${path}`);
  for (const begins of [`client.${name}(`, "- R", "- Roles: "])
    expect(
      lines.filter((line) => line.startsWith(begins)),
      begins,
    ).not.toEqual([]);
});

test("a row in the reference has its type, fields, documented values and nested objects", () => {
  expect(readOperation("sessions.messages").join("\n")).toContain("`role?` (`user`, `assistant`, `tool`, `system`)");
  expect(readOperation("analytics.tokens").join("\n")).toMatch(
    /^- Row, `CreditsRow`: `date`, .*`user_email` \(or null\).*\(list of `ModelCredits`\)/m,
  );
  expect(readOperation("computers.update")).toContain("- `name`: 1 to 63 characters.");
});

test("the functions and values in the reference are exported", () => {
  const section = /^## Other exports\n([\s\S]*?)^##/m.exec(readText("docs/service-api.md"))?.[1] ?? "";
  const list = section.match(/^- .*$/gm)?.join("\n") ?? "";
  const names = [...list.matchAll(/`([a-z]\w+)(?:\(\w+\))?`/g)].map(([, name]) => name);
  expect(names).toContain("dayOf");
  expect(names.filter((name = "") => !(name in service))).toEqual([]);
});

test("templates/settings/ holds exactly one snippet for each agent whose settings people edit", () => {
  const folder = join(import.meta.dirname, "..", "..", "templates", "settings");
  const paths = readdirSync(folder).map((name) => `templates/settings/${name}`);
  expect(paths.toSorted()).toEqual(Object.keys(settingsSnippets()).toSorted());
});

type Complete<T> = T extends object ? { readonly [Key in keyof T]-?: Complete<T[Key]> } : T;

/** Webhook body with every field of the schema and of a message. A new field is a compile error here. */
const everything: Complete<WebhookBody> & { readonly data: Complete<Omit<Message, "at">> } = {
  type: "agent.stop",
  timestamp: "2026-06-14T09:30:00.000Z",
  data: {
    id: "one",
    state: "resolved",
    event: "Stop",
    agent: "claude",
    kind: "finished",
    sessionId: "session",
    project: "shop",
    cwd: "/home/me/shop",
    title: "shop: done",
    body: "All tests pass.",
    message: "said",
    reason: "why",
    session: {
      title: "Tests",
      summary: "All tests pass.",
      lastMessage: "All tests pass.",
      tokens: {
        input: 1,
        output: 2,
        cacheRead: 3,
        cacheWrite: 4,
        thinking: 5,
        credits: 6.5,
        costUsd: 0.42,
        partial: true,
      },
      turnMs: 93_000,
      messageCount: 4,
      status: "idle",
      model: "large",
      branch: "main",
      callingSessionId: "caller",
      stillRuns: "",
      nextRun: "",
      did: { files: 3, commands: 5 },
      openCalls: [],
      turnOutcome: "completed",
    },
  },
};

test("the schema knows every field of an event", () => {
  expect(webhookBodySchema.parse(everything)).toEqual(everything);
});

test("the JSON schema names the fields that are always present, and allows further fields", () => {
  expect(webhookBodyJsonSchema()).toMatchObject({
    required: ["type", "timestamp", "data"],
    properties: { data: { required: ["id", "event", "agent", "kind", "project", "title", "body", "session"] } },
  });
  expect(JSON.stringify(webhookBodyJsonSchema())).not.toContain("additionalProperties");
});
