import { pushbullet } from "../../src/notifiers/pushbullet.ts";
import * as cases from "./cases/pushbullet.ts";
import { describeNotifier } from "./contract/describe-notifier.ts";

describeNotifier(pushbullet, cases);
