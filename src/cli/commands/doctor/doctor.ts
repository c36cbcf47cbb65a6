import { loadConfig } from "../../../config/load.ts";
import type { Ports } from "../../../core/ports.ts";
import { createPorts } from "../../../io/ports.ts";
import { lastEvents } from "../../checks/agent-events.ts";
import { agentSettingsChecks } from "./agent-settings.ts";
import { anyAgent, entries, installRecords, trust, versions } from "./agents.ts";
import { appCopy } from "./installation.ts";
import type { Check, CheckResult, Scene } from "./check.ts";
import { eventChecks } from "./events.ts";
import { folders } from "../../checks/folders.ts";
import { notifierChecks } from "./notifiers.ts";
import { programChecks } from "./programs.ts";
import type { CliContext } from "../../context.ts";
import { ownPackageRoot } from "../install/context.ts";
import { linesSince } from "../../journal/lines.ts";
import { lookAround } from "../../overview/overview.ts";
import { readSpool } from "../../status/spool-state.ts";

export interface DoctorOptions {
  readonly json?: boolean;
}

const agentChecks: readonly Check[] = [anyAgent, versions, entries, ...agentSettingsChecks, trust, lastEvents];
const checks: readonly Check[] = [
  ...[...programChecks, appCopy, folders, installRecords],
  ...agentChecks,
  ...notifierChecks,
  ...eventChecks,
];
const weekMs = 7 * 24 * 3_600_000;

/** `beckon doctor`: every check, with its cure. Exit code 1 if one fails; warnings are none. */
export async function runDoctor(options: DoctorOptions, context: CliContext, ports = createPorts()): Promise<number> {
  const scene = await setScene(context, ports);
  const findings = (await Promise.all(checks.map((check) => check(scene)))).flat();
  if (options.json) context.print(JSON.stringify(findings));
  else report(findings, context);
  return findings.some(({ status }) => status === "fail") ? 1 : 0;
}

async function setScene({ paths, place }: CliContext, ports: Ports): Promise<Scene> {
  const nowMs = Date.now();
  return {
    paths,
    place,
    ports,
    nowMs,
    config: await loadConfig(paths.config),
    packageRoot: await ownPackageRoot(),
    overview: await lookAround({ paths, place }, ports),
    spool: readSpool(paths.spool, paths.lock),
    journal: linesSince(paths.journal, nowMs - weekMs),
  };
}

/** What is wrong first; then the rest, each agent's lines together; a count at the end, where the eye is. */
function report(findings: readonly CheckResult[], context: CliContext): void {
  const of = (status: CheckResult["status"]) => bySubject(findings.filter((finding) => finding.status === status));
  const [failed, warned, fine] = [of("fail"), of("warn"), of("ok")];
  for (const finding of [...failed, ...warned]) show(finding, context);
  if (failed.length + warned.length > 0 && fine.length > 0) context.print("");
  for (const finding of fine) show(finding, context);
  const counts = [`${failed.length} to mend`, `${warned.length} to look at`, `${fine.length} fine`];
  context.print(`\n${counts.join(", ")}.`);
}

/** `Droid: hooks` and `Droid: settings` next to each other, in the order in which their subject first comes up. */
function bySubject(findings: readonly CheckResult[]): CheckResult[] {
  const subjectOf = ({ name }: CheckResult) => name.split(":")[0] ?? name;
  const order = [...new Set(findings.map(subjectOf))];
  return findings.toSorted((a, b) => order.indexOf(subjectOf(a)) - order.indexOf(subjectOf(b)));
}

function show({ name, status, detail, cure }: CheckResult, { print, colors }: CliContext): void {
  const mark = { ok: colors.green("✓"), warn: colors.yellow("!"), fail: colors.red("✗") }[status];
  print(`${mark} ${name}: ${detail}`);
  if (cure !== undefined) print(`    ${cure}`);
}
