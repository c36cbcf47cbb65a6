import * as z from "zod";
import { kebabCase } from "../../core/vocabulary.ts";
import { endpoints } from "../../service/endpoints.ts";
import { answerOutputs, dailyOutputs } from "./daily-outputs.ts";
import { type CommandOutput, printsLines, printsObject } from "./declare.ts";
import { inspectionOutputs } from "./inspection-outputs.ts";
import { relayOutputs } from "./relay-outputs.ts";
import { setupOutputs } from "./setup-outputs.ts";

/** Outputs of commands with `--json`, by command, such as `config check`. Those of `beckon service` are separate. */
export const commandOutputs: Readonly<Record<string, CommandOutput>> = {
  ...setupOutputs,
  ...dailyOutputs,
  ...answerOutputs,
  ...inspectionOutputs,
  ...relayOutputs,
};

/** Outputs of `beckon service`. docs/service-api.md has the fields of an operation's rows. */
export const serviceOutputs: Readonly<Record<string, CommandOutput>> = {
  "service report": printsObject(z.looseObject({})),
  "service api": printsObject(z.unknown()),
  ...Object.fromEntries(
    endpoints.map(({ name, items }) => {
      const words = name.split(".").map(kebabCase).join(" ");
      return [`service ${words}`, (items === undefined ? printsObject : printsLines)(z.looseObject({}))];
    }),
  ),
};

/** Commands without `--json`, with the reason. */
export const withoutJson: Readonly<Record<string, string>> = {
  "config edit": "opens an editor",
  mcp: "its output is the protocol's",
  run: "its output is the command's",
  completion: "prints a shell script",
  "relay serve": "its output is the relay's protocol",
};
