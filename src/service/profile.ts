import { isAbsolute } from "node:path";
import * as z from "zod";
import { secret } from "../core/secret.ts";
import { isServiceAddress } from "./address.ts";
import { bearerSchema } from "./bearer.ts";

const address = z
  .string()
  .refine(isServiceAddress, "must be an https:// address without user, query or fragment (http:// only for localhost)");

/** Setting `service` of the configuration: addresses and key of the service. */
export const serviceSettingsSchema = z.object({
  baseUrl: address.describe("Address of the service's API."),
  apiKey: secret(bearerSchema).describe("API key, as a reference such as `${env:BECKON_API_KEY}`."),
  ca: z
    .string()
    .refine(isAbsolute, "must be an absolute path")
    .optional()
    .describe("PEM file of certificates to trust instead of the system's."),
  appUrl: address.optional().describe("Address of the service's web application, for readiness reports."),
});

/** Entry of `service.profiles`: the settings that differ for another organization. */
export const serviceProfileSchema = serviceSettingsSchema.partial();

export type ServiceSettings = z.output<typeof serviceSettingsSchema>;
