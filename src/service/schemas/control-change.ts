import * as z from "zod";
import { anyObject, formatted, openObject } from "./open.ts";

const text = z.string().optional();
const texts = z.array(z.string()).optional();
const flag = z.boolean().optional();
const integer = z.int().optional();

/**
 * Model that the organization added. `apiKey` is a secret. All fields are optional, because the API document does not
 * say which are required.
 */
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

const sandboxSchema = openObject({
  enabled: flag,
  filesystem: openObject({ allowWrite: texts, allowRead: texts, denyWrite: texts, denyRead: texts }).optional(),
  network: openObject({
    allowedDomains: texts,
    allowUnixSockets: texts,
    allowAllUnixSockets: flag,
    allowLocalBinding: flag,
    httpProxyPort: integer,
    socksProxyPort: integer,
  }).optional(),
});

/** Documented properties of `settings`, all optional. */
export const controlSettingsSchema = openObject({
  sessionDefaultSettings: openObject({ model: text, specModeModel: text }).optional(),
  mcpAutonomyOverrides: anyObject.optional(),
  cloudSessionSync: flag,
  wikiCloudSync: flag,
  includeCoAuthoredByAgent: flag,
  enableAgentShield: flag,
  ideAutoConnect: flag,
  commandAllowlist: texts,
  commandDenylist: texts,
  customModels: z.array(customModelSchema).optional(),
  modelPolicy: openObject({
    allowedModelIds: texts,
    blockedModelIds: texts,
    allowCustomModels: flag,
    allowedBaseUrls: texts,
    allowAllFactoryModels: flag,
    isFastModelsAllowed: flag,
  }).optional(),
  mcpPolicy: openObject({ enabled: flag, allowlist: texts }).optional(),
  missionPolicy: openObject({ restrictedAccess: flag, allowedUserIds: texts }).optional(),
  userModelPolicies: anyObject.optional(),
  enabledPlugins: anyObject.optional(),
  extraKnownMarketplaces: anyObject.optional(),
  strictKnownMarketplaces: z.array(openObject({ repo: z.string() })).optional(),
  networkPolicy: openObject({ allowedIps: texts }).optional(),
  sandbox: sandboxSchema.optional(),
  restrictMemberVisibility: flag,
  restrictApiKeyCreationToManagers: flag,
  managedComputersEnabled: flag,
  byomComputersEnabled: flag,
  managedComputersAllowedEmails: texts,
  byomComputersAllowedEmails: texts,
  sessionRetentionDays: integer,
});
export type ControlSettings = z.output<typeof controlSettingsSchema>;

/** Picks the documented properties of a change's `settings`, if their values have the documented types. */
export function knownSettings(settings: Readonly<Record<string, unknown>>): ControlSettings {
  const known: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(controlSettingsSchema.shape)) {
    const parsed = Object.hasOwn(settings, name) ? schema.safeParse(settings[name]) : undefined;
    if (parsed?.success && parsed.data !== undefined) known[name] = parsed.data;
  }
  return known;
}

/**
 * One change of the organization-wide settings. `settings` is any object, because its properties may be added, removed
 * or renamed; `knownSettings` reads the known properties. Do not print `settings`, which can contain keys of custom
 * models.
 */
export const controlChangeSchema = openObject({
  revision: z.int(),
  settings: anyObject.describe(
    "Settings; properties may be added, removed or renamed. `ControlSettings` has the known ones.",
  ),
  user: openObject({ id: z.string(), email: z.string(), name: z.string() }),
  updatedAt: formatted("date-time"),
});
export type ControlChange = z.output<typeof controlChangeSchema>;
