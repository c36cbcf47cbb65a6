import { listOpenAsks, readSwitch } from "../../actions/answer.ts";
import { agentNamed } from "../../agents/registry.ts";
import { describeRights } from "../../config/answer-rights.ts";
import { loadConfig } from "../../config/load.ts";
import { isAlwaysSerial } from "../../core/agent.ts";
import { explainExposure } from "../../files/root-access.ts";
import { counted } from "../../text/time.ts";
import type { CliContext } from "../context.ts";

/** Describes for people whether permission requests can be answered outside the agent, one sentence a line. */
export async function describeAnswers({ paths }: Pick<CliContext, "paths">): Promise<readonly string[]> {
  const { answers } = await loadConfig(paths.config);
  const off = readSwitch(paths);
  const open = listOpenAsks(paths).length;
  if (!answers)
    return ["Answers are not set up; see docs/answers.md.", ...(off ? ["They are also switched off."] : [])];
  const exposure = explainExposure(paths, []);
  const serial = answers.agents.flatMap((name) => {
    const agent = agentNamed(name);
    return agent && isAlwaysSerial(agent) ? [agent.title] : [];
  });
  return [
    off ? `Answers are off: ${off.reason}. To switch them on: beckon answers on` : "Answers are on.",
    ...(exposure === undefined ? [] : [`Requests are only answered in the agent: ${exposure}.`]),
    `Agents: ${answers.agents.join(", ")}. Folders: ${answers.projects.join(", ")}.`,
    ...(serial.length > 0
      ? [`${serial.join(" and ")}: only while you are away, until you press a key in the agent's terminal.`]
      : []),
    `You may answer with: ${["beckon answer", "the board", ...describeRights(answers)].join(", ")}.`,
    `${counted(open, "open request")}.`,
  ];
}
