import { isAbsolute } from "node:path";
import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import { expandHome } from "../files/paths.ts";
import { webhookBody } from "./shared/webhook-body-schema.ts";

const megabyte = 1_000_000;

export const file = defineNotifier({
  name: "file",
  summary: "Appends the event to a file as a line of JSON.",
  source: "https://jsonlines.org/",
  guide: async () => ({ where: { path: "Example: ~/agents.jsonl." } }),
  audience: "machine",
  textIsRead: false,
  settings: z.object({
    path: z
      .string()
      .refine((path) => isAbsolute(expandHome(path)), "must be an absolute path or begin with ~/")
      .describe("File to append to. If it is missing, it is created and only you can read it."),
    maxMegabytes: z
      .number()
      .positive()
      .max(1_000)
      .default(10)
      .describe("Size at which the file is renamed and a new file is started."),
    kept: z.number().int().min(1).max(99).default(3).describe("Number of renamed files to keep; `.1` is the newest."),
  }),
  example: { path: "~/agents.jsonl" },
  budgetMs: 5_000,
  limits: { unit: "graphemes", title: 200, body: 20_000 },
  reach: "machine",
  async send({ settings: { path, maxMegabytes, kept }, message, ports }) {
    const rotation = { maxBytes: maxMegabytes * megabyte, kept };
    await ports.files.appendLine(expandHome(path), JSON.stringify(webhookBody(message)), rotation);
  },
});
