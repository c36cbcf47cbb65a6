import { measureAnswers } from "./answers.ts";
import { measureBoards } from "./board.ts";
import { measureCommands } from "./commands.ts";
import { measureDelivery, measureLatency, measureLoneEvents } from "./latency.ts";
import { measureLoad } from "./load.ts";
import { measureMemory } from "./memory.ts";
import { measureRelay } from "./relay.ts";
import { measureReport } from "./report.ts";
import { measureService } from "./service.ts";
import type { Measure } from "./table.ts";
import { measureWaiting } from "./waiting.ts";

/** Part of the bench that can run alone. */
interface Part {
  /** Programs needed in addition to Node, installed by `scripts/install-real.sh`. */
  readonly programs?: readonly string[];
  readonly measure: Measure;
}

/** All parts by name, in running order. */
export const parts: Readonly<Record<string, Part>> = {
  latency: { programs: ["bash", "curl", "jq"], measure: measureLatency },
  delivery: { programs: ["bash"], measure: measureDelivery },
  lone: { programs: ["bash"], measure: measureLoneEvents },
  load: { programs: ["bash", "curl", "jq"], measure: measureLoad },
  memory: { measure: measureMemory },
  waiting: { programs: ["bash"], measure: measureWaiting },
  answers: { measure: measureAnswers },
  board: { measure: measureBoards },
  commands: { measure: measureCommands },
  relay: { measure: measureRelay },
  report: { measure: measureReport },
  service: { measure: measureService },
};
