import { readdirSync } from "node:fs";
import { errnoOf } from "../core/errors.ts";

/** Names in a folder, sorted; none if there is no such folder. @throws the system's error for any other reason */
export function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === "ENOENT") return [];
    throw error;
  }
}
