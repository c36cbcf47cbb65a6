/** Mode of a page: `live` has actions and updates, `file` is for reading only. */
export type PageMode = "live" | "file";
