import { loadConfig } from "../../../config/load.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import type { LinkStatus } from "../../../relay/relay-status.ts";
import { fitRows } from "../../columns.ts";
import { type CliContext, lineCells } from "../../context.ts";
import { agoText, linkText, viewRelay } from "../../status/relay-view.ts";
import { requireSources } from "./sources.ts";

/** Runs `beckon relay hosts`: lists the configured machines and the states of their connections. */
export async function runHosts({ json }: { readonly json?: boolean }, context: CliContext): Promise<number> {
  const { paths, print } = context;
  const nowMs = context.now?.() ?? Date.now();
  const config = await loadConfig(paths.config);
  requireSources(config);
  const { sources = [] } = (await viewRelay(paths, config, nowMs)) ?? {};
  if (json) {
    for (const { name: host, link } of sources) {
      const { state = "not fetched", sinceMs, version, lastEventAtMs, problem } = link ?? {};
      const times = { since: formatIso(sinceMs), lastEvent: formatIso(lastEventAtMs) };
      print(JSON.stringify({ host, state, ...omitUndefined({ version, problem, ...times }) }));
      for (const [name, atMs] of listMachines(link))
        print(JSON.stringify({ host: name, by: host, lastEvent: formatIso(atMs) }));
    }
    return 0;
  }
  const lastEvent = (atMs: number | undefined): string =>
    atMs === undefined ? "" : `last event ${agoText(atMs, nowMs)}`;
  const rows = sources.flatMap(({ name, link }) => [
    [name, linkText(link), lastEvent(link?.lastEventAtMs)],
    ...listMachines(link).map(([machine, atMs]) => [machine, `via ${name}`, lastEvent(atMs)]),
  ]);
  for (const line of fitRows(rows, lineCells(context))) print(line);
  return 0;
}

/** Lists the machines whose events came from a server since the connection began, by name. */
function listMachines(link: LinkStatus | undefined): [name: string, lastEventAtMs: number][] {
  return Object.entries(link?.machines ?? {}).toSorted(([name], [other]) => (name < other ? -1 : 1));
}

function formatIso(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}
