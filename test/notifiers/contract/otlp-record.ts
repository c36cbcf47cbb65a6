import * as z from "zod";
import type { Reading } from "./notifier-case.ts";

const stringValue = z.strictObject({ stringValue: z.string() }).transform((value) => value.stringValue);
const attributes = z
  .array(z.strictObject({ key: z.string().min(1), value: stringValue }))
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, value])));
const nanoseconds = z.string().regex(/^\d{19}$/);

/**
 * An OTLP logs export request with one record in Protobuf JSON: 64-bit numbers are texts, enumerations are numbers.
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
 */
const requestSchema = z.strictObject({
  resourceLogs: z.tuple([
    z.strictObject({
      resource: z.strictObject({ attributes }),
      schemaUrl: z.url(),
      scopeLogs: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.string() }),
          schemaUrl: z.url(),
          logRecords: z.tuple([
            z.strictObject({
              timeUnixNano: nanoseconds,
              observedTimeUnixNano: nanoseconds,
              severityNumber: z.int().min(1).max(24),
              severityText: z.string(),
              eventName: z.string(),
              body: stringValue,
              attributes,
            }),
          ]),
        }),
      ]),
    }),
  ]),
});

/**
 * Reads the only record of an export request, with the attributes of its resource. Throws if the request is invalid.
 */
export function recordIn(body: string) {
  const [{ resource, scopeLogs, schemaUrl }] = requestSchema.parse(JSON.parse(body)).resourceLogs;
  return { ...scopeLogs[0].logRecords[0], resource: resource.attributes, schemaUrl };
}

/** Reads a record's text as a person would see it. */
export function readRecord({ body }: { readonly body: string }): Reading {
  const [title = ""] = body.split("\n", 1);
  return { title, body: body.slice(title.length + 1) };
}
