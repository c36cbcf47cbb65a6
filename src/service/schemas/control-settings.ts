import * as z from "zod";
import { customModelSchema } from "./custom-model.ts";
import { anyObject, openObject } from "./open.ts";

const texts = z.array(z.string()).optional();
const flag = z.boolean().optional();
const integer = z.int().optional();

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

/** The properties of `settings` that the document knows, each of them optional. */
export const controlSettingsSchema = openObject({
  sessionDefaultSettings: openObject({ model: z.string().optional(), specModeModel: z.string().optional() }).optional(),
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

/** The known properties of a change's `settings`. One that is missing or has another type than known is left out. */
export function knownSettings(settings: Readonly<Record<string, unknown>>): ControlSettings {
  const known: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(controlSettingsSchema.shape)) {
    const parsed = Object.hasOwn(settings, name) ? schema.safeParse(settings[name]) : undefined;
    if (parsed?.success && parsed.data !== undefined) known[name] = parsed.data;
  }
  return known;
}
