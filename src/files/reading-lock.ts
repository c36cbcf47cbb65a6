import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Paths } from "./paths.ts";

/**
 * Returns the lock of the command that reads the pressed buttons of an account in place of the worker. Receivers such as
 * chats have only one reader at a time.
 * @param account name of the account. Only its hash is stored.
 */
export function readingLock({ asks }: Pick<Paths, "asks">, account: string): string {
  return join(asks, `reading-${createHash("sha256").update(account).digest("hex").slice(0, 16)}.lock`);
}
