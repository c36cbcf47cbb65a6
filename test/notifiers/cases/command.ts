import { localCall } from "../../world/local-call.ts";
import { changesAt, followingCommand } from "../contract/following-programs.ts";

export const changeCase = changesAt(followingCommand, localCall({}, {}).ports);
