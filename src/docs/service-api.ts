import * as z from "zod";
import { kebabCase } from "../core/vocabulary.ts";
import type { Endpoint } from "../service.ts";
import * as service from "../service.ts";
import { code } from "./markdown.ts";

/** Exports of `beckon/service`, with the compiler's view of their types. */
interface Library {
  readonly checker: Checker;
  readonly emitter: Emitter;
  readonly exports: readonly ExportedSymbol[];
  /** Replaces written-out types by the names of exported types. */
  readonly named: (text: string) => string;
}

const intro = `# Reference of \`beckon/service\`

Every export, made from its declaration and comment by \`npm run docs\`. [Service client](service-client.md) is the
introduction.`;

/**
 * Builds `docs/service-api.md`: every export of `beckon/service` with its members, types and comments.
 * @param root the repository
 */
export function serviceApiPage(root: string): string {
  const api = new API({ cwd: root });
  try {
    return `${pageOf(libraryIn(api, root))}\n`;
  } finally {
    api.close();
  }
}

function resourceName({ name }: Endpoint): string {
  return kebabCase(name.split(".")[0] ?? "");
}

/**
 * Creates the replacement of written-out types. The compiler writes out types of replies, because they come from
 * schemas. Two types of the same shape stay written out.
 */
function namesFor(exports: readonly ExportedSymbol[], checker: Checker): (text: string) => string {
  const written = exports
    .filter((one) => is(one, SymbolFlags.TypeAlias))
    .map((one) => [one.name, checker.typeToString(checker.getDeclaredTypeOfSymbol(one), undefined, inFull)] as const)
    .filter(([, text], _, all) => text.startsWith("{") && all.filter(([, other]) => other === text).length === 1)
    .toSorted(([, a], [, b]) => b.length - a.length);
  return (text) => written.reduce((rest, [name, type]) => (rest === type ? rest : rest.replaceAll(type, name)), text);
}

function section(endpoint: Endpoint, objects: Map<string, string>): string {
  const { name, summary, method, base, path, status, roles, items, reply, groupedReply } = endpoint;
  const [, errors = "not documented"] = documentedErrors.find(([start]) => path.startsWith(start)) ?? [];
  const limits = parametersOf(endpoint).flatMap(({ field, schema }) => {
    const limit = describeValue(schema, () => "");
    return limit === "" ? [] : [`${code(field)}: ${limit}`];
  });
  return [
    `### ${name}`,
    summary,
    `\`\`\`\n${method} {${base}}${path}\nclient.${callOf(endpoint)}\n\`\`\``,
    [
      ...limits.map((limit) => `- ${limit}.`),
      `- ${items ? "Row" : `Reply (${status})`}, ${describeReply(reply, items, objects)}`,
      ...(groupedReply ? [`- Row with \`groupBy\`, ${describeReply(groupedReply, items, objects)}`] : []),
      `- Roles: ${roles?.join(" or ") ?? "not documented"}. Errors: ${errors}.`,
    ].join("\n"),
  ].join("\n\n");
}

/** Describes the objects behind the client's properties, whose classes are not exported. */
function resourcesOf(library: Library, client: ExportedSymbol): string[] {
  const { checker } = library;
  return membersOf(library, client).flatMap((property) => {
    const resource = checker.getTypeOfSymbol(property)?.getSymbol();
    if (resource === undefined || !is(resource, SymbolFlags.Class)) return [];
    return [classText(library, resource, `client.${property.name}`)];
  });
  return Object.entries(properties ?? {}).map(([field, schema]) => ({
    field,
    schema: schema as JsonSchema,
    isRequired: required?.includes(field) === true,
  }));
}

/** The type of a row or reply, and its fields; `objects` gets the large objects in it. */
function describeReply(reply: z.ZodType, items: string | undefined, objects: Map<string, string>): string {
  const list = items === undefined ? undefined : ((reply as z.ZodObject).shape[items] as z.ZodArray);
  const { $ref, $defs = {} } = z.toJSONSchema((list?.element ?? reply) as z.ZodType, { metadata: names });
  const describeRef = (reference: string): string => {
    const { name = "", schema = {} } = findReferenced(reference);
    const fields = describeValue(schema, describeRef);
    if (Object.keys(schema.properties ?? {}).length < minListedFields) return fields;
    objects.set(name, fields);
    return code(name);
  };
  const findReferenced = (reference: string) => {
    const name = reference.replace("#/$defs/", "");
    return { name, schema: $defs[name] as JsonSchema };
  };
  const { name, schema } = findReferenced($ref ?? "");
  return `${code(name)}: ${describeValue(schema, describeRef)}.`;
}

function methodText(library: Library, symbol: ExportedSymbol): string {
  const name = symbol.name.replace(/^__@(\w+)@\d+$/, "[Symbol.$1]");
  const lines = signaturesOf(library, symbol).map((signature) => `${name}${signature}`);
  return blocks(`#### ${name}`, `\`\`\`ts\n${lines.join("\n")}\n\`\`\``, commentOf(library, symbol));
}

function valueText(library: Library, symbol: ExportedSymbol): string {
  if (signaturesOf(library, symbol).length > 0) return methodText(library, symbol).slice(1);
  return blocks(`### ${symbol.name}`, code(typeOf(library, symbol)), commentOf(library, symbol));
}

function typeText(library: Library, symbol: ExportedSymbol): string {
  const { checker, exports } = library;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const parts = type.isUnionType() ? type.getTypes() : [type];
  const isObject = parts.every(({ flags }) => (flags & objects) !== 0);
  const schema = exports.find(({ name }) => name.toLowerCase() === `${symbol.name}Schema`.toLowerCase());
  const shape = isObject
    ? fieldTable(library, membersOf(library, symbol))
    : `\`\`\`ts\n${written(library, type)}\n\`\`\``;
  return blocks(`### ${symbol.name}`, commentOf(library, symbol) || (schema && commentOf(library, schema)), shape);
}

function schemaRemark(library: Library, { name }: ExportedSymbol): string {
  const type = library.exports.find(
    (one) => `${one.name}Schema`.toLowerCase() === name.toLowerCase() && one.name !== name,
  );
  if (type) return code(type.name);
  const symbol = library.exports.find((one) => one.name === name);
  return symbol ? commentOf(library, symbol) : "";
}

/** Lists the members declared by the package, without private and built-in ones. */
function membersOf({ checker }: Library, symbol: ExportedSymbol): ExportedSymbol[] {
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  return checker
    .getPropertiesOfType(type)
    .filter(
      ({ name, declarations }) =>
        !name.startsWith("__#") && !declarations.some(({ path }) => path.includes("node_modules")),
    )
    .filter((one) => !is(symbol, SymbolFlags.Class) || isMemberOf(one, symbol));
}

/** Checks that a member belongs to a class. Inherited members are documented with an exported base. */
function isMemberOf(member: ExportedSymbol, { name }: ExportedSymbol): boolean {
  return member.getParent()?.name === name || member.getParent()?.name === "Client";
}

function fieldTable(library: Library, fields: readonly ExportedSymbol[]): string {
  if (fields.length === 0) return "";
  const rows = fields.map((one) => [
    code(`${one.name}${is(one, SymbolFlags.Optional) ? "?" : ""}`),
    code(typeOf(library, one)),
    commentOf(library, one).replaceAll("\n", " "),
  ]);
  const columns = rows.some(([, , comment]) => comment !== "") ? 3 : 2;
  return table(
    ["Field", "Type", "Meaning"].slice(0, columns),
    rows.map((row) => row.slice(0, columns)),
  );
}

function typeOf(library: Library, symbol: ExportedSymbol): string {
  const type = library.checker.getTypeOfSymbol(symbol);
  const text = type ? written(library, type, NodeBuilderFlags.NoTruncation) : "";
  return is(symbol, SymbolFlags.Optional) ? text.replace(/ \| undefined$/, "").replace(/^\((.*)\)$/, "$1") : text;
}

const objects = TypeFlags.Object | TypeFlags.Intersection;
const inFull = NodeBuilderFlags.NoTruncation | NodeBuilderFlags.InTypeAlias;

function written({ checker, named }: Library, type: Type, flags: number = inFull): string {
  return named(checker.typeToString(type, undefined, flags));
}

/** Lists the signatures of a method or function without its name; empty for anything else. */
function signaturesOf({ checker, emitter, named }: Library, symbol: ExportedSymbol): string[] {
  const type = checker.getTypeOfSymbol(symbol);
  const signatures =
    type && !is(symbol, SymbolFlags.Optional) ? checker.getSignaturesOfType(type, SignatureKind.Call) : [];
  return signatures.flatMap((signature) => {
    const node = checker.signatureToSignatureDeclaration(signature, SyntaxKind.CallSignature, undefined, inFull);
    if (node === undefined) return [];
    const text = emitter.printNode(node).replace(/\s+/g, " ").replace(/;$/, "");
    return [named(text).replaceAll(/(\?: [^,()]*?) \| undefined(?=[,)])/g, "$1")];
  });
  return fields.length > 0 ? fields.join(", ") : describeBounds(schema);
}

/** Formats a comment with its tags. */
function commentOf({ checker }: Library, symbol: ExportedSymbol): string {
  const tags = symbol.getJsDocTags(checker).map(({ name, text = "" }) => {
    if (name === "example") return `\`\`\`ts\n${text}\n\`\`\``;
    if (name === "throws")
      return text.replace(/^\{(.+?)\} ?(.*)/s, (_, types, why) => `Throws ${code(types)}${why && `: ${why}`}.`);
    return name === "param" ? text.replace(/^(\w+)/, "`$1`:") : `${name}: ${text}`;
  });
  return blocks(symbol.getDocumentationComment(checker), ...tags);
}

function joinParts(shape: "list" | "map", parts: string): string {
  return parts === "" ? shape : `${shape} of ${parts}`;
}
