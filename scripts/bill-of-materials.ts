import type { BundledPackage } from "./notices.ts";

type Component = Omit<BundledPackage, "folder">;

/**
 * Builds the list of the packages in beckon's bundles as CycloneDX 1.6: https://cyclonedx.org/docs/1.6/json/. It has no
 * date and no serial number, so that each build of a commit writes the same.
 */
export function billOfMaterials(beckon: Component, packages: readonly Component[]): string {
  const bill = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: { component: component("application", beckon) },
    components: packages.map((each) => component("library", each)),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function component(type: string, { name, version, license }: Component) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  return { type, "bom-ref": purl, name, version, ...(license && { licenses: [{ expression: license }] }), purl };
}
