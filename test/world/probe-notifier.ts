import * as z from "zod";
import { defineNotifier, type Notifier } from "../../src/core/notifier.ts";

/** Makes a notifier `probe` for a user, with a test's behaviour. */
export function probeNotifier(more: Partial<Notifier> = {}): Notifier {
  return defineNotifier<string, z.ZodObject>({
    name: "probe",
    summary: "Does what a test says.",
    source: "https://example.org",
    settings: z.object({}),
    example: {},
    audience: "person",
    budgetMs: 10_000,
    limits: { unit: "utf16", title: 100, body: 100 },
    reach: "machine",
    send: async () => undefined,
    ...more,
  });
}
