import type { Command } from "commander";
import type { AnswersState } from "../../../docs/output.d.ts";
import { listOpenAsks, switchAnswers } from "../../actions/answer.ts";
import { findAnswerPlaces } from "../../actions/assess-notifiers.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { agentNamed } from "../../agents/registry.ts";
import { readOffSwitch } from "../../answers/ask-files.ts";
import { listChoices, listUsers } from "../../config/answer-rights.ts";
import { loadConfig } from "../../config/load.ts";
import { isAlwaysSerial } from "../../core/agent.ts";
import { UsageError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { explainExposure } from "../../files/root-access.ts";
import { didYouMean } from "../../text/did-you-mean.ts";
import { counted } from "../../text/time.ts";
import { docsPage } from "../../text/version.ts";
import type { CliContext, RegisterCommand } from "../context.ts";
import { type JsonOption, jsonLine } from "../output/json-line.ts";
import { createCliPorts } from "../ports.ts";
import { say } from "../say.ts";
import { listUnheld } from "../status/facts.ts";

/** Declares `beckon answers`: switches answering outside the agent on and off. */
export const registerAnswers: RegisterCommand = (command, run) => {
  command
    .command("on")
    .description("allow answers outside the agents again, where the configuration does")
    .option("--json", "print the new state as one JSON object")
    .action((options: JsonOption) => run((context) => runSwitch("on", options, context)));
  command
    .command("off")
    .description(
      "leave all open requests to the agents' own dialogs, and allow no answers outside the agents until you switch them on",
    )
    .option("--json", "print the new state as one JSON object")
    .action((options: JsonOption) => run((context) => runSwitch("off", options, context)));
  command
    .command("status", { isDefault: true })
    .description("show where you may answer, and the number of open requests")
    .option("--json", "print one JSON object")
    .allowExcessArguments()
    .action((options: JsonOption, { args: [word] }: Command) =>
      run((context) => {
        if (word === undefined) return showStatus(options, context);
        throw new UsageError(`there is no command answers ${word}`, didYouMean(word, ["on", "off", "status"]));
      }),
    );
};

async function runSwitch(to: "on" | "off", options: JsonOption, context: CliContext): Promise<number> {
  requireOwnRoot(context);
  switchAnswers(to, context.paths, context.now());
  await showStatus(options, context);
  if (to === "off") return 0;
  const { agents, withoutHook = [] } = await readState(context);
  return agents.length === withoutHook.length ? 1 : 0;
}

async function showStatus({ json }: JsonOption, context: CliContext): Promise<number> {
  if (json) {
    context.print(jsonLine(await readState(context)));
    return 0;
  }
  for (const line of await describeAnswers(context))
    if (line.startsWith(" ")) context.print(line);
    else say(line, context, 2);
  return 0;
}

async function readState(context: Pick<CliContext, "paths" | "environment">): Promise<AnswersState> {
  const { paths } = context;
  const { answers } = await loadConfig(paths.config);
  const off = readOffSwitch(paths);
  const rights = Object.keys(answers?.from ?? {}).map((name) => [
    name,
    { may: listChoices(answers, name), ...omitUndefined({ users: listUsers(answers, name) }) },
  ]);
  const unheld = answers ? (await listUnheld(answers, context)).filter(({ isMissing }) => isMissing) : [];
  return {
    state: answers === undefined ? "not set up" : off === undefined ? "on" : "off",
    ...omitUndefined({ offReason: off?.reason, exposure: answers && explainExposure(paths, []) }),
    agents: answers?.agents ?? [],
    ...(unheld.length > 0 && { withoutHook: unheld.map(({ name }) => name) }),
    projects: answers?.projects ?? [],
    from: Object.fromEntries(rights),
    open: listOpenAsks(paths).length,
  };
}

/** Describes for people whether permission requests can be answered outside the agent, one sentence a line. */
export async function describeAnswers(context: Pick<CliContext, "paths" | "environment">): Promise<readonly string[]> {
  const { paths } = context;
  const config = await loadConfig(paths.config);
  const { answers } = config;
  const off = readOffSwitch(paths);
  const open = listOpenAsks(paths).length;
  if (!answers) {
    return [
      "Answers are not set up. To answer requests of an agent outside of it:",
      "  beckon config add answers",
      "  beckon install",
      `More: ${docsPage("answers")}`,
      ...(off ? ["They are also switched off."] : []),
    ];
  }
  const exposure = explainExposure(paths, []);
  const { usable, unusable } = await findAnswerPlaces(answers, config, { paths, ports: createCliPorts(paths) });
  const unheld = await listUnheld(answers, context);
  const serial = answers.agents.flatMap((name) => {
    const agent = agentNamed(name);
    return agent && isAlwaysSerial(agent) ? [agent.title] : [];
  });
  return [
    off
      ? `Answers are off: ${off.reason}. To switch them on: beckon answers on`
      : `Answers are on${answers.when === "always" ? "" : ", while you are away from this machine (answers.when)"}.`,
    ...(exposure === undefined ? [] : [`Requests are only answered in the agent: ${exposure}.`]),
    ...unheld.map(({ name, problem }) => `${problem}. To correct it: beckon install --agent ${name}`),
    `Agents: ${answers.agents.join(", ")}. Folders: ${answers.projects.join(", ")}.`,
    ...(serial.length > 0
      ? [`${serial.join(" and ")}: only while you are away, until you press a key in the agent's terminal.`]
      : []),
    [`Ways to answer: ${usable.join(", ")}.`, ...unusable.map((why) => `Not with ${why}.`)].join(" "),
    `${counted(open, "open request")}.`,
  ];
}
