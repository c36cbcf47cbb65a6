/** Live page with actions and updates, or a file to read. */
export type PageMode = "live" | "file";
