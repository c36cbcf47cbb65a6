import { loadConfig } from "../../../config/load.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { fitRows } from "../../columns.ts";
import { type CliContext, lineCells } from "../../context.ts";
import { formatInstant, toInstant } from "../../output/instant.ts";
import { jsonLine } from "../../output/json-line.ts";
import type { HostLine } from "../../output/relay-outputs.ts";
import { agoText, linkText, listMachines, viewRelay } from "../../status/relay-view.ts";
import { requireSources } from "./sources.ts";

/** Runs `beckon relay hosts`: lists the configured machines and the states of their connections. */
export async function runHosts({ json }: { readonly json?: boolean }, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  const config = await loadConfig(paths.config);
  if (!json) requireSources(config);
  const { sources = [] } = (await viewRelay(paths, config, nowMs)) ?? {};
  if (json) {
    for (const { name: host, link } of sources) {
      const { state = "not-fetched", sinceMs, version, lastEventAtMs, problem } = link ?? {};
      const times = { sinceAt: formatInstant(sinceMs), lastEventAt: formatInstant(lastEventAtMs) };
      print(jsonLine({ host, state, ...omitUndefined({ version, problem, ...times }) } satisfies HostLine));
      for (const [name, atMs] of listMachines(link ?? {}))
        print(jsonLine({ host: name, by: host, lastEventAt: toInstant(atMs) } satisfies HostLine));
    }
    return 0;
  }
  const lastEvent = (atMs: number | undefined): string =>
    atMs === undefined ? "" : `last event ${agoText(atMs, nowMs)}`;
  const rows = sources.flatMap(({ name, link }) => [
    [name, linkText(link), lastEvent(link?.lastEventAtMs)],
    ...listMachines(link ?? {}).map(([machine, atMs]) => [machine, `via ${name}`, lastEvent(atMs)]),
  ]);
  for (const line of fitRows(rows, lineCells(context))) print(line);
  return 0;
}
