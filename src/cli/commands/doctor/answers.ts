import { existsSync } from "node:fs";
import { listOpenAsks, readSwitch } from "../../../actions/answer.ts";
import { explainExposure } from "../../../files/exposed-root.ts";
import { counted } from "../../../text/counted.ts";
import { hourMs } from "../../../text/time.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";

/** Checks of answers to permission requests, if they are set up. */
export const answerChecks: readonly Check[] = [
  check("answers", ({ config, paths }) => {
    const { answers } = config;
    if (!answers) return undefined;
    const off = readSwitch(paths);
    if (off) return warn(`answers are switched off: ${off.reason}`, "To switch them on: beckon answers on");
    const exposure = explainExposure(paths, []);
    if (exposure !== undefined)
      return fail(`requests are only answered in the agent: ${exposure}`, "Set BECKON_HOME to another folder");
    const may = Object.entries(answers.from).map(([name, choices]) => `${name} (${choices.join(", ")})`);
    return ok(`you may answer with: ${["beckon answer", "the board", ...may].join(", ")}`);
  }),
  check("answers: hooks", ({ config, agents }) => {
    const asking = agents.filter(({ definition }) => config.answers?.agents.includes(definition.name));
    const first = asking.find(
      ({ files, installed }) => installed.size > 0 && files.every((file) => file.asking === undefined),
    );
    return first && fail(`${first.title} has no hook that asks for answers`, "To add it: beckon install");
  }),
  check("answers: forged", ({ journal }) => {
    const forged = journal.findLast(({ status }) => status === "foreign");
    if (!forged) return undefined;
    return fail(
      `${forged.reason ?? "forged"}, at ${forged.at}`,
      `Find out which program gave this answer. To see the request: beckon why ${forged.id}`,
    );
  }),
  check("answers: leftovers", ({ paths, nowMs }) => {
    if (!existsSync(paths.asks)) return undefined;
    const old = listOpenAsks(paths).filter(({ untilMs }) => nowMs - untilMs > hourMs);
    return old.length === 0
      ? undefined
      : warn(`${counted(old.length, "file")} of expired requests`, `rm '${paths.asks}'/*.json`);
  }),
];
