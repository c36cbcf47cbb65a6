/** Whether a page can act and is kept up to date, or is a file to read. */
export type PageMode = "live" | "file";
