import { wecom } from "../../src/notifiers/wecom.ts";
import * as cases from "./cases/wecom.ts";
import { describeNotifier } from "./contract/describe-notifier.ts";

describeNotifier(wecom, cases);
