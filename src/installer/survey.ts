import { existsSync } from "node:fs";
import type { Scope, SettingsPlace } from "../core/agent-settings.ts";
import { SettingsError } from "../core/errors.ts";
import { refuseReadOnly } from "./files/replace-settings-file.ts";
import { readSettingsFile } from "./files/read-settings-file.ts";
import { type InspectedFile, inspectAgent } from "./inspect.ts";
import type { OwnCommands } from "./beckon-commands.ts";
import { type FoundProgram, findProgram } from "./agents/program.ts";
import { alignRows, cellsOf } from "../cli/columns.ts";
import { type InstallContext, placeOf } from "../cli/commands/install/context.ts";
import type { InstallableAgent } from "./agents/installable.ts";

/** What is there of one agent before anything is installed into it. */
export interface Survey {
  readonly agent: InstallableAgent;
  /** Its own folder exists: it has been started here. */
  readonly isUsed: boolean;
  readonly program?: FoundProgram;
  /** The file that would get the hooks, and others of the same scope that matter. */
  readonly files: readonly SurveyedFile[];
}

export interface SurveyedFile {
  readonly path: string;
  /** For people: what is in it, or why it cannot be edited. */
  readonly state: string;
  readonly isEditable: boolean;
}

/** Looks at agents side by side. Reads only, never throws. */
export function surveyAgents(
  agents: readonly InstallableAgent[],
  scope: Scope,
  own: OwnCommands,
  context: InstallContext,
): Promise<Survey[]> {
  const place = placeOf(context);
  return Promise.all(
    agents.map(async (agent): Promise<Survey> => {
      const [program, files] = await Promise.all([
        findProgram(agent, context.exec),
        surveyFiles(agent, scope, own, place),
      ]);
      const isUsed = existsSync(agent.settings.folder(place));
      return { agent, isUsed, ...(program && { program }), files };
    }),
  );
}

async function surveyFiles(
  agent: InstallableAgent,
  scope: Scope,
  own: OwnCommands,
  place: SettingsPlace,
): Promise<SurveyedFile[]> {
  const files = (await inspectAgent(agent, place, own)).filter((file) => file.scope === scope);
  const main = files.find(({ exists }) => exists) ?? files.at(-1);
  const matters = (file: InspectedFile) => file.own.length + file.foreign > 0 || file.problem !== undefined;
  const shown = files.filter((file) => file === main || (file.exists && matters(file)));
  return Promise.all(
    shown.map(async (file) => {
      const { path } = file.file;
      const problem = file.problem?.message.replace(`${path}: `, "");
      const lock = problem === undefined ? await readOnly(path) : undefined;
      const state = problem ?? [stateOf(file), ...(lock === undefined ? [] : [lock])].join(", ");
      // A read-only file that has our hooks may need no edit at all; the plan will tell.
      return { path, state, isEditable: problem === undefined && (lock === undefined || file.own.length > 0) };
    }),
  );
}

async function readOnly(path: string): Promise<string | undefined> {
  try {
    await refuseReadOnly(await readSettingsFile(path, Number.POSITIVE_INFINITY));
    return undefined;
  } catch (error) {
    if (error instanceof SettingsError) return error.message.replace(`${path}: `, "");
    throw error;
  }
}

function stateOf({ exists, own, foreign, offSwitches, ignoredFor }: InspectedFile): string {
  if (!exists) return "not there yet";
  const others = foreign === 0 ? [] : [`${foreign} ${foreign === 1 ? "hook" : "hooks"} of others'`];
  const hooks = [...(own.length > 0 ? ["beckon's hooks"] : []), ...others].join(" and ");
  return [
    hooks || "no hooks yet",
    ...offSwitches.map((name) => `switched off by ${name}`),
    ...(ignoredFor.length > 0 ? [`ignored for its ${ignoredFor.join(" and ")}`] : []),
  ].join(", ");
}

/** A table for people: agent, version, file, state; a state that the terminal has no room for stands below its file. */
export function showSurveys(surveys: readonly Survey[], home: string, columns = Number.POSITIVE_INFINITY): string[] {
  const rows = surveys.flatMap(({ agent, isUsed, program, files }) =>
    files.map(({ path, state }, index) => [
      index === 0 ? agent.title : "",
      index === 0 ? (program?.version ?? "") : "",
      underHome(path, home),
      isUsed || index > 0 ? state : `${state}: never started here`,
    ]),
  );
  const whole = alignRows(rows).map((row) => `  ${row}`);
  const isWide = whole.some((row) => cellsOf(row) > columns);
  if (!isWide) return whole;
  const files = alignRows(rows.map((row) => row.slice(0, -1)));
  return files.flatMap((row, index) => [`  ${row}`, `      ${rows[index]?.at(-1)}`]);
}

/** `~/…` for what is below the home folder. */
export function underHome(path: string, home: string): string {
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
