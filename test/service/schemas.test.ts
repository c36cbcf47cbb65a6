import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import * as service from "../../src/service.ts";
import { documentedFields, type FieldType } from "../helpers/service/document-fields.ts";

const exported = service as unknown as Readonly<Record<string, unknown>>;
const schemaOf = (name: string) => exported[`${name}Schema`] as z.ZodObject;
const baseType = (type: FieldType) => type.replace(/\?$/, "").replace(/ or null$/, "");

/** A value of each type, and those of all the others. */
const values: Readonly<Record<string, unknown>> = {
  string: "text",
  number: 1.5,
  integer: 3,
  boolean: true,
  object: {},
  array: [],
};

function wrongValues(type: FieldType): unknown[] {
  const own = baseType(type);
  const others = Object.entries(values).filter(
    ([other]) => other !== own && !(own === "number" && other === "integer"),
  );
  return [...others.map(([, value]) => value), ...(type.includes("null") ? [] : [null])];
}

/** The smallest value that a schema takes; inner objects are given by hand, for the table says only that they are there. */
function smallest(name: string): Record<string, unknown> {
  const inner: Readonly<Record<string, unknown>> = {
    tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 1 },
    modelUsed: { id: "m", reasoningEffort: "low" },
    user: { id: "u", email: "e", name: "n" },
  };
  const fields = Object.entries(documentedFields[name] ?? {});
  const required = fields.filter(([, type]) => !type.endsWith("?"));
  return Object.fromEntries(required.map(([field, type]) => [field, inner[field] ?? values[baseType(type)]]));
}

describe.each(Object.entries(documentedFields))("the schema of %s", (name, fields) => {
  it("knows the document's fields and no others", () => {
    expect(Object.keys(schemaOf(name).shape).sort()).toEqual(Object.keys(fields).sort());
  });

  it("takes the least that may come, and gives back what came", () => {
    expect(schemaOf(name).parse(smallest(name))).toEqual(smallest(name));
  });

  it("keeps fields nobody knows yet", () => {
    const value = { ...smallest(name), brandNew: { deep: [1, null] } };
    expect(schemaOf(name).parse(value)).toEqual(value);
  });

  it.each(Object.entries(fields))("has %s as %s", (field, type) => {
    const without = { ...smallest(name) };
    delete without[field];
    expect(schemaOf(name).safeParse(without).success).toBe(type.endsWith("?"));
    const least = smallest(name)[field] ?? values[baseType(type)];
    if (baseType(type) !== "object")
      expect(schemaOf(name).safeParse({ ...without, [field]: least }).success).toBe(true);
    expect(schemaOf(name).safeParse({ ...without, [field]: null }).success).toBe(type.includes("null"));
    for (const wrong of wrongValues(type)) {
      const parsed = schemaOf(name).safeParse({ ...without, [field]: wrong });
      expect([field, wrong, parsed.success]).toEqual([field, wrong, false]);
      expect(parsed.error?.issues[0]?.path[0]).toBe(field);
    }
  });
});

describe("an enumeration", () => {
  it.each([
    ["clientType", service.clientTypes, ["terminal-ui", "web", "non-interactive-cli"]],
    ["delegationLevel", service.delegationLevels, ["auto-high", "auto-medium", "auto-low", "spec", "manual"]],
    ["modelTier", service.modelTiers, ["standard", "thinking"]],
    ["reasoningEffort", service.reasoningEfforts, ["low", "medium", "high", "off"]],
    ["sessionStatus", service.sessionStatuses, ["idle", "pending", "running"]],
    ["messageRole", service.messageRoles, ["user", "assistant", "tool", "system"]],
    [
      "userMessageSource",
      service.userMessageSources,
      (
        "web desktop cli_tui cli_exec cli_acp chat_app issue_tracker sessions_api api automation " +
        "readiness-remediation readiness-evaluation wiki-generation wiki-ci-setup"
      ).split(" "),
    ],
    ["messageVisibility", service.messageVisibilities, ["both", "llm_only", "user_only"]],
    ["vendorXPhase", service.vendorXPhases, ["commentary", "final_answer"]],
    ["reasoningField", service.reasoningFields, ["reasoning", "reasoning_content"]],
    ["providerType", service.providerTypes, ["byom", "hosted"]],
    ["computerStatus", service.computerStatuses, ["provisioning", "active", "error"]],
  ])("%s lists the document's values, takes others, and no other type", (name, listed, documented) => {
    expect(listed).toEqual(documented);
    const schema = schemaOf(name);
    for (const value of [...listed, "a value of next year"]) expect(schema.parse(value)).toBe(value);
    for (const value of [7, null, {}, undefined]) expect(schema.safeParse(value).success).toBe(false);
  });
});

/** What lies deeper, by the document: schema, way, and the fields there with their types. `texts` is `string[]`. */
const deeper: readonly (readonly [schema: string, way: string, type: string, fields: string])[] = [
  ["controlSettings", "sessionDefaultSettings", "string", "model specModeModel"],
  ["controlSettings", "modelPolicy", "texts", "allowedModelIds blockedModelIds allowedBaseUrls"],
  ["controlSettings", "modelPolicy", "boolean", "allowCustomModels allowAllFactoryModels isFastModelsAllowed"],
  ["controlSettings", "mcpPolicy", "boolean", "enabled"],
  ["controlSettings", "mcpPolicy", "texts", "allowlist"],
  ["controlSettings", "missionPolicy", "boolean", "restrictedAccess"],
  ["controlSettings", "missionPolicy", "texts", "allowedUserIds"],
  ["controlSettings", "networkPolicy", "texts", "allowedIps"],
  ["controlSettings", "sandbox", "boolean", "enabled"],
  ["controlSettings", "sandbox filesystem", "texts", "allowWrite allowRead denyWrite denyRead"],
  ["controlSettings", "sandbox network", "texts", "allowedDomains allowUnixSockets"],
  ["controlSettings", "sandbox network", "boolean", "allowAllUnixSockets allowLocalBinding"],
  ["controlSettings", "sandbox network", "integer", "httpProxyPort socksProxyPort"],
  ["controlSettings", "", "texts", "commandAllowlist commandDenylist"],
  ["controlSettings", "", "texts", "managedComputersAllowedEmails byomComputersAllowedEmails"],
  ["customModel", "cloudGateway", "string", "cloudProfile cloudRegion cloudGatewayBaseUrl"],
  ["customModel", "cloudGateway", "string", "cloudAuthRefresh cloudCredentialExport"],
  ["sessionSettings", "", "texts", "enabledToolIds disabledToolIds"],
];

describe.each(deeper)("in %s, at %j, %s", (name, way, type, fields) => {
  const right: Readonly<Record<string, unknown>> = { ...values, texts: ["a", "b"] };
  // An array without items is one of texts too.
  const wrong = Object.entries({ ...values, array: [1] }).filter(([other]) => other !== type);
  it.each(fields.split(" "))("%s", (field) => {
    const at = (value: unknown) =>
      way.split(" ").reduceRight((inner, part) => (part === "" ? inner : { [part]: inner }), { [field]: value });
    expect(schemaOf(name).parse(at(right[type]))).toEqual(at(right[type]));
    for (const [, value] of [...wrong, ["null", null] as const]) {
      expect([value, schemaOf(name).safeParse(at(value)).success]).toEqual([value, false]);
    }
  });
});

it("a list of known things takes no others", () => {
  const { controlSettingsSchema: settings, sessionSettingsSchema: session } = service;
  for (const repo of [1, undefined]) {
    expect(settings.safeParse({ strictKnownMarketplaces: [{ repo }] }).success).toBe(false);
    expect(session.safeParse({ tags: [{ name: repo }] }).success).toBe(false);
  }
  expect(settings.safeParse({ strictKnownMarketplaces: [{ repo: "r" }], customModels: [{}] }).success).toBe(true);
  expect(settings.safeParse({ customModels: [{ model: 1 }] }).success).toBe(false);
});

describe("knownSettings", () => {
  it("reads what it knows and leaves out what has another type", () => {
    const settings = {
      cloudSessionSync: true,
      sessionRetentionDays: "thirty",
      modelPolicy: { allowAllFactoryModels: true, brandNew: 1 },
      wikiSyncToCloud: true,
    };
    expect(service.knownSettings(settings)).toEqual({
      cloudSessionSync: true,
      modelPolicy: { allowAllFactoryModels: true, brandNew: 1 },
    });
  });

  it("takes any object, and what it gives is part of it", () => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(service.controlSettingsSchema.shape)), fc.string());
    const check = (settings: Record<string, unknown>): void => {
      for (const [key, value] of Object.entries(service.knownSettings(settings))) expect(value).toEqual(settings[key]);
    };
    fc.assert(fc.property(fc.dictionary(name, fc.jsonValue()), check), { numRuns: 300 });
  });
});
