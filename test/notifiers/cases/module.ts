import { changesAt, followingModule } from "../contract/following-programs.ts";

export const changeCase = changesAt(followingModule);
