import type { Scope } from "../core/agent-settings.ts";
import { catchSettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type InstallableAgent, isInUse } from "./agents/installable.ts";
import { type FoundProgram, findProgram } from "./agents/program.ts";
import type { PlanContext } from "./context.ts";
import { readSettingsFile } from "./files/read-settings-file.ts";
import { refuseReadOnly } from "./files/replace-settings-file.ts";
import { type InspectedFile, inspectAgent } from "./inspect.ts";
import { chooseFiles } from "./own-files.ts";

/** State of an agent before an install. */
export interface Survey {
  readonly agent: InstallableAgent;
  /** True if the agent's folder exists, because it has been started here. */
  readonly isUsed: boolean;
  readonly program?: FoundProgram;
  /** Inspected files of all scopes. */
  readonly inspected: readonly InspectedFile[];
  /** File that gets the hooks, and other files of the same scope that have hooks or a problem. */
  readonly files: readonly SurveyedFile[];
}

interface SurveyedFile {
  readonly path: string;
  /** Description of the file's hooks and problems, for the user. */
  readonly state: string;
  readonly isEditable: boolean;
}

/** Surveys agents concurrently. Never writes or throws. */
export function surveyAgents(
  agents: readonly InstallableAgent[],
  scope: Scope,
  { environment, exec, beckonCommands }: PlanContext,
): Promise<Survey[]> {
  const surveys = agents.map(async (agent) => {
    const [program, inspected] = await Promise.all([
      findProgram(agent, exec),
      inspectAgent(agent, environment, beckonCommands),
    ]);
    const isUsed = isInUse(agent, environment);
    const files = await surveyFiles(inspected.filter((file) => file.scope === scope));
    return omitUndefined<Survey>({ agent, isUsed, program, inspected, files });
  });
  return Promise.all(surveys);
}

async function surveyFiles(files: readonly InspectedFile[]): Promise<SurveyedFile[]> {
  const candidates = await chooseFiles(files.map(({ file }) => file));
  const isMain = ({ file }: InspectedFile) => candidates.includes(file);
  const matters = ({ beckonEntries, otherHooks, problem }: InspectedFile) =>
    beckonEntries.length + otherHooks > 0 || problem !== undefined;
  const shown = files.filter((file) => isMain(file) || (file.exists && matters(file)));
  return Promise.all(shown.map(surveyFile));
}

async function surveyFile({ file: { path }, ...found }: InspectedFile): Promise<SurveyedFile> {
  const refuse = async () => refuseReadOnly(await readSettingsFile(path, Number.POSITIVE_INFINITY));
  const error = found.problem ?? (await catchSettingsError(refuse));
  const isOthers = found.ownProblem === "foreign" || found.ownProblem === "edited";
  const reasons = error ? [error.message.replace(`${path}: `, "")] : [];
  const state = [...(found.problem ? [] : [describeState(found)]), ...reasons].join(", ");
  // A read-only file with beckon's hooks may need no edit.
  return { path, state, isEditable: !isOthers && (!error || found.beckonEntries.length > 0) };
}

function describeState({ exists, beckonEntries, otherHooks, ...found }: Omit<InspectedFile, "file">): string {
  if (!exists) return "no hooks yet";
  if (found.ownProblem === "foreign") return "not written by beckon";
  if (found.ownProblem === "edited") return "edited after beckon wrote it";
  const others = otherHooks === 0 ? [] : [`${otherHooks} other ${otherHooks === 1 ? "hook" : "hooks"}`];
  const hooks = [...(beckonEntries.length > 0 ? ["beckon's hooks"] : []), ...others].join(" and ");
  const disabled = hooks === "" ? "hooks disabled" : "disabled";
  return [
    hooks || "no hooks yet",
    ...found.offSwitches.map((name) => `${disabled} by ${name}`),
    ...found.unknownEvents.map((name) => `${disabled} by a hook for the unknown event ${name}`),
    ...(found.ignoredFor.length > 0 ? [`ignored: ${found.ignoredFor.map(({ problem }) => problem).join("; ")}`] : []),
  ].join(", ");
}
