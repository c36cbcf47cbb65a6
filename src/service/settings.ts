import * as z from "zod";
import { secret } from "../core/secret.ts";
import { isServiceAddress } from "./address.ts";

const address = z
  .string()
  .refine(isServiceAddress, "must be an https:// address without user, query or fragment (http:// only for localhost)");

/** What may stand behind `Bearer`: a key or JWT. Anything else cannot be a header's value. */
export const bearerSchema = z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces");

/** What it takes to ask the service: `service` in the configuration. */
export const serviceSettingsSchema = z.object({
  baseUrl: address.describe("Address of the service's API, e.g. https://api.example.com."),
  apiKey: secret(bearerSchema).describe(
    "API key, made in the service's settings page; write it as a reference such as ${env:BECKON_API_KEY}.",
  ),
  appUrl: address.optional().describe("Address of the service's web application, where readiness reports are."),
});

export type ServiceSettings = z.output<typeof serviceSettingsSchema>;
