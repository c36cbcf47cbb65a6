import { teams } from "../../src/notifiers/teams.ts";
import * as cases from "./cases/teams.ts";
import { describeNotifier } from "./contract/describe-notifier.ts";

describeNotifier(teams, cases);
