import { join } from "node:path";
import { snakeCase } from "../../core/vocabulary.ts";
import { isOwn, type OwnCommands } from "../../installer/beckon-commands.ts";
import { at, listOf, objectOf } from "../../core/json-value.ts";
import { readValue } from "../../installer/agents/hook-switches.ts";
import type { Trust, TrustRequest } from "./trust-request.ts";

/** Codex skips an untrusted hook without a word, and keeps a hash for each that was reviewed. */
export async function trustOfCodex({ agent, place, files, own }: TrustRequest): Promise<Trust> {
  const cure = "Open /hooks in Codex and trust beckon's hooks there.";
  const folder = agent.settings?.folder(place) ?? join(place.home, ".codex");
  const config = await readValue(join(folder, "config.toml"));
  const perFile = files.map(async ({ file, target }) => {
    const value = await readValue(file.path);
    return [file.path, target].map((path) => untrustedEvents(value, config, path, own)).sort(byLength)[0] ?? [];
  });
  const missing = [...new Set((await Promise.all(perFile)).flat())];
  if (missing.length > 0) return { state: "untrusted", detail: `not trusted for ${missing.join(", ")}`, cure };
  return { state: "trusted", detail: "trusted, as far as the hooks were not changed since" };
}

const byLength = (a: readonly string[], b: readonly string[]): number => a.length - b.length;

/**
 * Events whose hooks of ours have no hash in Codex' `config.toml`:
 * `[hooks.state."<hooks.json>:<event_in_snake_case>:<group>:<hook>"]`. Whether a hash still fits is Codex' secret.
 * @see https://developers.openai.com/codex/hooks
 */
export function untrustedEvents(hooksFile: unknown, config: unknown, path: string, own: OwnCommands): string[] {
  const known = at(config, "hooks", "state");
  return Object.entries(objectOf(at(hooksFile, "hooks"))).flatMap(([event, groups]) => {
    const keys = listOf(groups).flatMap((group, groupIndex) =>
      listOf(at(group, "hooks")).flatMap((hook, index) => {
        const command = at(hook, "command");
        return typeof command === "string" && isOwn(own, command) ? [`${groupIndex}:${index}`] : [];
      }),
    );
    const isTrusted = (key: string) =>
      typeof at(known, `${path}:${snakeCase(event)}:${key}`, "trusted_hash") === "string";
    return keys.every(isTrusted) ? [] : [event];
  });
}
