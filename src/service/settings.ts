import * as z from "zod";
import { secret } from "../core/secret.ts";

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** An address beckon may send the key to: https, or http on this machine; no user, query or fragment. */
function isServiceAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  const isPrivate = protocol === "https:" || (protocol === "http:" && loopback.test(hostname));
  return isPrivate && `${username}${password}${search}${hash}` === "";
}

const address = z
  .string()
  .refine(isServiceAddress, "must be an https:// address without user, query or fragment (http:// only for localhost)");

/** What it takes to ask the service: `service` in the configuration. */
export const serviceSettingsSchema = z.object({
  baseUrl: address.describe("Address of the service's API, e.g. https://api.example.com."),
  apiKey: secret(z.string().regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")).describe(
    "API key, made in the service's settings page; write it as a reference such as ${env:BECKON_API_KEY}.",
  ),
  appUrl: address.optional().describe("Address of the service's web application, where readiness reports are."),
});

export type ServiceSettings = z.output<typeof serviceSettingsSchema>;
