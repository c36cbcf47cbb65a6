import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as z from "zod";
import manifest from "../../../package.json" with { type: "json" };
import { installable } from "../../../src/installer/agents/installable.ts";
import { isPluginAgent, pluginFiles } from "../../../src/installer/plugins/plugin-files.ts";
import { repository } from "../../world/home.ts";

const { name, version, description, license, keywords } = manifest;
const agents = installable.filter(isPluginAgent);
const filesOf = (agent: string) => {
  const found = agents.find((one) => one.name === agent);
  return found ? pluginFiles(found, { name, version, description, license, keywords }) : {};
};

const kebab = z.string().regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const semver = z.string().regex(/^\d+\.\d+\.\d+$/);
const text = z.string().min(1);
/** https://code.claude.com/docs/en/plugins-reference, https://docs.factory.ai/guides/building/building-plugins */
const plugin = z.strictObject({
  name: kebab,
  version: semver,
  description: text,
  author: z.strictObject({ name: text }),
  license: text,
  keywords: z.array(text),
});
/** https://code.claude.com/docs/en/plugin-marketplaces */
const marketplace = z.strictObject({
  name: kebab,
  owner: z.strictObject({ name: text }),
  description: text,
  plugins: z.tuple([z.strictObject({ name: kebab, version: semver, description: text, source: z.literal("./") })]),
});
/** https://geminicli.com/docs/extensions/reference */
const extension = z.strictObject({ name: kebab, version: semver, description: text });

test.each([
  ["claude", ".claude-plugin/plugin.json", plugin],
  ["claude", ".claude-plugin/marketplace.json", marketplace],
  ["droid", ".factory-plugin/plugin.json", plugin],
  ["droid", ".factory-plugin/marketplace.json", marketplace],
  ["gemini", "gemini-extension.json", extension],
])("%s's %s has what its documentation asks for, and nothing that it does not know", (agent, path, schema) => {
  expect(schema.safeParse(JSON.parse(filesOf(agent)[path] ?? "")).error?.issues).toBeUndefined();
});

test.each(agents.map((agent) => [agent.name, agent] as const))(
  "%s's plugin has the installer's entries, with the plugin's launcher",
  (agent, { plugin: { folderVariable } }) => {
    const hooks = filesOf(agent)["hooks/hooks.json"] ?? "";
    const snippet = readFileSync(join(repository, "templates/settings", `${agent}.json`), "utf8");
    const installed = hooks.replaceAll(/sh \\"\$\{\w+\}\/hook\\" (.*) 2>\/dev\/null \|\| :/g, "~/.beckon/hook $1 || :");
    expect(installed).toBe(snippet);
    expect(hooks).toContain(`"sh \\"${folderVariable}/hook\\" `);
  },
);

test.each(agents.map((agent) => [agent.name, agent.plugin] as const))(
  "%s's plugin tells people how to install and remove it",
  (agent, { installCommands, uninstallCommand }) => {
    const readme = filesOf(agent)["README.md"];
    for (const command of [...installCommands("/path/to/beckon"), uninstallCommand]) expect(readme).toContain(command);
  },
);
