import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type * as z from "zod";
import * as service from "../../src/service.ts";
import { documentedFields, type FieldType } from "./document-fields.ts";

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

/** Valid values of fields whose inner fields the table of the document does not name. */
const innerValues: Readonly<Record<string, unknown>> = {
  tool_autonomy_level_ratio: { auto_high: 0, auto_medium: 0, auto_low: 0, manual: 1 },
  modelUsed: { id: "m", reasoningEffort: "low" },
  user: { id: "u", email: "e", name: "n" },
};
const validValue = (field: string, type: FieldType): unknown => innerValues[field] ?? values[baseType(type)];

/** The smallest value that a schema accepts. */
function smallest(name: string): Record<string, unknown> {
  const fields = Object.entries(documentedFields[name] ?? {});
  const required = fields.filter(([, type]) => !type.endsWith("?"));
  return Object.fromEntries(required.map(([field, type]) => [field, validValue(field, type)]));
}

/** The values that a schema should accept for a field and rejects, and the other way round. */
function mistakesOf(name: string, field: string, type: FieldType): unknown[] {
  const others = { ...smallest(name) };
  delete others[field];
  const cases: readonly (readonly [value: object, isValid: boolean])[] = [
    [{}, type.endsWith("?")],
    [{ [field]: validValue(field, type) }, true],
    [{ [field]: null }, type.includes("null")],
    ...wrongValues(type).map((wrong) => [{ [field]: wrong }, false] as const),
  ];
  return cases.filter(([value, isValid]) => {
    const { success, error } = schemaOf(name).safeParse({ ...others, ...value });
    return success !== isValid || (!success && error.issues[0]?.path[0] !== field);
  });
}

describe.each(Object.entries(documentedFields))("the schema of %s", (name, fields) => {
  test("has the documented fields and no others", () => {
    expect(Object.keys(schemaOf(name).shape).sort()).toEqual(Object.keys(fields).sort());
  });

  test("accepts the smallest reply, and returns it unchanged", () => {
    expect(schemaOf(name).parse(smallest(name))).toEqual(smallest(name));
  });

  test("keeps undocumented fields", () => {
    const value = { ...smallest(name), brandNew: { deep: [1, null] } };
    expect(schemaOf(name).parse(value)).toEqual(value);
  });

  test("accepts the documented type of each field and no other", () => {
    expect(Object.entries(fields).flatMap(([field, type]) => mistakesOf(name, field, type))).toEqual([]);
  });
});

describe("the enumeration", () => {
  test.each([
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
  ])("%s lists the documented values, and accepts any text but no other type", (name, listed, documented) => {
    expect(listed).toEqual(documented);
    const schema = schemaOf(name);
    for (const value of [...listed, "a value of next year"]) expect(schema.parse(value)).toBe(value);
    for (const value of [7, null, {}, undefined]) expect(schema.safeParse(value).success).toBe(false);
  });
});

/** Documented fields of nested objects: schema, path, type, names. `texts` is `string[]`. */
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

test("each deeper field accepts its documented type and no other", () => {
  const mistakes = deeper.flatMap(([name, way, type, fields]) => {
    const valid: Readonly<Record<string, unknown>> = { ...values, texts: ["a", "b"] };
    // An empty array would be an array of texts too.
    const invalid = Object.entries({ ...values, array: [1], null: null }).filter(([other]) => other !== type);
    return fields.split(" ").flatMap((field) => {
      const nest = (value: unknown) =>
        way.split(" ").reduceRight((inner, part) => (part === "" ? inner : { [part]: inner }), { [field]: value });
      const accepts = (value: unknown): boolean => schemaOf(name).safeParse(nest(value)).success;
      const accepted = invalid
        .filter(([, value]) => accepts(value))
        .map(([kind]) => `${name} accepts ${kind} as ${field}`);
      return accepts(valid[type]) ? accepted : [...accepted, `${name} rejects ${type} as ${field}`];
    });
  });
  expect(mistakes).toEqual([]);
});

test("a list of objects rejects an item with a wrong or missing field", () => {
  const { controlSettingsSchema: settings, sessionSettingsSchema: session } = service;
  for (const repo of [1, undefined]) {
    expect(settings.safeParse({ strictKnownMarketplaces: [{ repo }] }).success).toBe(false);
    expect(session.safeParse({ tags: [{ name: repo }] }).success).toBe(false);
  }
  expect(settings.safeParse({ strictKnownMarketplaces: [{ repo: "r" }], customModels: [{}] }).success).toBe(true);
  expect(settings.safeParse({ customModels: [{ model: 1 }] }).success).toBe(false);
});

describe("knownSettings", () => {
  test("returns known settings, and leaves out those of an undocumented type", () => {
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

  test("accepts any object, and returns a part of it", () => {
    const name = fc.oneof(fc.constantFrom(...Object.keys(service.controlSettingsSchema.shape)), fc.string());
    const check = (settings: Record<string, unknown>): void => {
      for (const [key, value] of Object.entries(service.knownSettings(settings))) expect(value).toEqual(settings[key]);
    };
    fc.assert(fc.property(fc.dictionary(name, fc.jsonValue()), check), { numRuns: 300 });
  });
});
