import { loadConfig } from "../config/load.ts";
import type { Ports } from "../core/ports.ts";
import { createPorts } from "../io/ports.ts";
import { agentChecks } from "./checks/agents.ts";
import type { Check, CheckResult, Scene } from "./checks/check.ts";
import { eventChecks } from "./checks/events.ts";
import { folders } from "./checks/folders.ts";
import { notifierChecks } from "./checks/notifiers.ts";
import { programChecks } from "./checks/programs.ts";
import type { CliContext } from "./context.ts";
import { linesSince } from "./journal-lines.ts";
import { lookAround } from "./overview.ts";
import { readSpool } from "./spool-state.ts";

export interface DoctorOptions {
  readonly json?: boolean;
}

const checks: readonly Check[] = [...programChecks, folders, ...agentChecks, ...notifierChecks, ...eventChecks];
const weekMs = 7 * 24 * 3_600_000;

/** `beckon doctor`: every check, with its cure. Exit code 1 if one fails; warnings are none. */
export async function runDoctor(options: DoctorOptions, context: CliContext, ports = createPorts()): Promise<number> {
  const scene = await setScene(context, ports);
  const findings = (await Promise.all(checks.map((check) => check(scene)))).flat();
  if (options.json) context.print(JSON.stringify(findings));
  else for (const finding of findings) show(finding, context);
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
    overview: await lookAround({ paths, place }),
    spool: readSpool(paths.spool, paths.lock),
    journal: linesSince(paths.journal, nowMs - weekMs),
  };
}

function show({ name, status, detail, cure }: CheckResult, { print, colors }: CliContext): void {
  const mark = { ok: colors.green("✓"), warn: colors.yellow("!"), fail: colors.red("✗") }[status];
  print(`${mark} ${name}: ${detail}`);
  if (cure !== undefined) print(`    ${cure}`);
}
