import * as z from "zod";
import { anyObject, openObject } from "./open.ts";

const text = z.string().optional();
const integer = z.int().optional();
const flag = z.boolean().optional();

/** A model of the organization's own. `apiKey` is a secret. Which fields are required is not shown: none is here. */
export const customModelSchema = openObject({
  model: text,
  id: text,
  baseUrl: text,
  apiKey: text,
  displayName: text,
  index: integer,
  maxContextLimit: integer,
  thinkingMaxTokens: integer,
  maxOutputTokens: integer,
  enableThinking: flag,
  noImageSupport: flag,
  extraHeaders: anyObject.optional(),
  extraArgs: anyObject.optional(),
  cloudGateway: openObject({
    cloudProfile: text,
    cloudRegion: text,
    cloudGatewayBaseUrl: text,
    cloudAuthRefresh: text,
    cloudCredentialExport: text,
  }).optional(),
});
export type CustomModel = z.output<typeof customModelSchema>;
