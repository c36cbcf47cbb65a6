import { existsSync } from "node:fs";
import { readSwitch } from "../../../actions/answer.ts";
import { readOpenAsks } from "../../../answers/ask-files.ts";
import { describeRights, unreadableReason } from "../../../config/answer-rights.ts";
import { explainExposure, isUnusableFolder } from "../../../files/root-access.ts";
import { counted, dayMs, hourMs, localTime } from "../../../text/time.ts";
import { type Check, check, fail, ok, warn } from "./check.ts";

/** Checks of answers to permission requests, if they are set up. */
export const answerChecks: readonly Check[] = [
  check("answers", ({ config, paths }) => {
    if (isUnusableFolder(paths.asks)) {
      const cure = `Put a folder in its place: mv '${paths.asks}' '${paths.asks}.old' && mkdir -m 700 '${paths.asks}'`;
      return fail(`requests are only answered in the agent: ${paths.asks} must be a folder of yours`, cure);
    }
    const { answers } = config;
    if (!answers) return undefined;
    const off = readSwitch(paths);
    if (off) return warn(`answers are switched off: ${off.reason}`, "To switch them on: beckon answers on");
    const exposure = explainExposure(paths, []);
    if (exposure !== undefined)
      return fail(`requests are only answered in the agent: ${exposure}`, "Set BECKON_HOME to another folder");
    return ok(`you may answer with: ${["beckon answer", "the board", ...describeRights(answers)].join(", ")}`);
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
  check("answers: reading", ({ config, journal, nowMs }) => {
    const failed = journal.findLast(({ reason }) => reason?.startsWith(unreadableReason));
    if (!config.answers || !failed || nowMs - Date.parse(failed.at) > dayMs) return undefined;
    const hint = "If another program reads the same account's messages, give beckon an account of its own.";
    return warn(`${failed.notifier}: ${failed.reason}, at ${localTime(failed.at)}`, hint);
  }),
  check("answers: leftovers", ({ paths, nowMs }) => {
    if (!existsSync(paths.asks)) return undefined;
    const old = readOpenAsks(paths).filter(({ untilMs }) => nowMs - untilMs > hourMs);
    return old.length === 0
      ? undefined
      : warn(`${counted(old.length, "file")} of expired requests`, `rm '${paths.asks}'/*.json`);
  }),
];
