import { rocketChat } from "../../src/notifiers/rocket-chat.ts";
import * as cases from "./cases/rocket-chat.ts";
import { describeNotifier } from "./contract/describe-notifier.ts";

describeNotifier(rocketChat, cases);
