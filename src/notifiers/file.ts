import { isAbsolute } from "node:path";
import * as z from "zod";
import { defineNotifier } from "../core/notifier.ts";
import { expandHome } from "../core/paths.ts";
import { webhookBody } from "./shared/webhook-body.ts";

const megabyte = 1_000_000;

export const file = defineNotifier({
  name: "file",
  summary: "Adds the event to a file, as one line of JSON.",
  source: "https://jsonlines.org/",
  settings: z.object({
    path: z
      .string()
      .refine((path) => isAbsolute(expandHome(path)), "must be an absolute path, or begin with ~/")
      .describe("The file; it is created, private, where it is missing."),
    maxMegabytes: z.number().positive().max(1_000).default(10).describe("When it is set aside and begun anew."),
    kept: z.number().int().min(1).max(99).default(3).describe("How many old ones are kept, `.1` the newest."),
  }),
  example: { path: "~/agents.jsonl" },
  budgetMs: 5_000,
  limits: { unit: "graphemes", title: 200, body: 20_000 },
  reach: "machine",
  platforms: "any",
  async send({ settings: { path, maxMegabytes, kept }, message, ports }) {
    const rotation = { maxBytes: maxMegabytes * megabyte, kept };
    await ports.files.appendLine(expandHome(path), JSON.stringify(webhookBody(message)), rotation);
  },
});
