import type { Agent } from "../core/agent.ts";
import type { AgentSettings } from "../core/agent-settings.ts";
import { code } from "./markdown.ts";

export const agentHead = ["Agent", "`--agent`", "Calls you at its", "Entries go into", "Known from"];

/** A row of the agents' table. */
export function agentRow({ title, name, settings, source, measured }: Agent): string[] {
  return [
    `[${title}](${source})`,
    code(name),
    Object.keys(settings?.register ?? {})
      .map(code)
      .join(", "),
    settings ? entriesOf(settings) : "",
    measured ? `measured: ${measured.join(", ")}` : "its documents",
  ];
}

/** Where entries go, for the user and in a project, as on Linux with nothing moved. */
function entriesOf({ files }: AgentSettings): string {
  const place = { home: "~", project: ".", env: {}, platform: "linux" } as const;
  const cells = (["user", "project"] as const).flatMap((scope) => {
    const paths = files(scope, place).map(({ path }) => code(path.replaceAll("\\", "/")));
    const [last, ...preferred] = paths.toReversed();
    return last ? [[last, ...preferred.toReversed().map((path) => `or ${path} if there`)].join(", ")] : [];
  });
  return cells.join("; ");
}
