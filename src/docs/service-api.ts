import { join } from "node:path";
import { SyntaxKind } from "typescript/unstable/ast";
import {
  API,
  type Checker,
  type Emitter,
  type Symbol as ExportedSymbol,
  NodeBuilderFlags,
  SignatureKind,
  SymbolFlags,
  type Type,
  TypeFlags,
} from "typescript/unstable/sync";
import { code, table } from "./markdown.ts";

/** What `beckon/service` exports, with the compiler that knows its types. */
interface Library {
  readonly checker: Checker;
  readonly emitter: Emitter;
  readonly exports: readonly ExportedSymbol[];
  /** Writes the names of exported types in place of what they stand for. */
  readonly named: (text: string) => string;
}

const intro = `# Reference of \`beckon/service\`

Every export, made from its declaration and comment by \`npm run docs\`. [Service client](service-client.md) is the
introduction.`;

/**
 * `docs/service-api.md`: every export of `beckon/service` with its members, types and comments.
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

function libraryIn(api: API, root: string): Library {
  const config = join(root, "scripts", "tsconfig.library.json");
  const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
  const file = project?.program.getSourceFile(join(root, "src", "service.ts"));
  const module = file && project?.checker.getSymbolAtLocation(file);
  if (project === undefined || module === undefined)
    throw new Error(`${config}: src/service.ts is not one of its files`);
  const { checker, emitter } = project;
  const exports = checker
    .getExportsOfModule(module)
    .map((one) => (is(one, SymbolFlags.Alias) ? checker.getAliasedSymbol(one) : one))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { checker, emitter, exports, named: namesFor(exports, checker) };
}

/**
 * Types of replies are made from schemas, so the compiler writes them out wherever they are used. Two of one shape stay
 * so.
 */
function namesFor(exports: readonly ExportedSymbol[], checker: Checker): (text: string) => string {
  const written = exports
    .filter((one) => is(one, SymbolFlags.TypeAlias))
    .map((one) => [one.name, checker.typeToString(checker.getDeclaredTypeOfSymbol(one), undefined, inFull)] as const)
    .filter(([, text], _, all) => text.startsWith("{") && all.filter(([, other]) => other === text).length === 1)
    .toSorted(([, a], [, b]) => b.length - a.length);
  return (text) => written.reduce((rest, [name, type]) => (rest === type ? rest : rest.replaceAll(type, name)), text);
}

function pageOf(library: Library): string {
  const { exports } = library;
  const classes = exports.filter((one) => is(one, SymbolFlags.Class));
  const clients = classes.filter(({ name }) => name === "ServiceClient");
  const errors = classes.filter(({ name }) => name.endsWith("Error"));
  const others = classes.filter((one) => !clients.includes(one) && !errors.includes(one));
  const values = exports.filter((one) => is(one, SymbolFlags.Function | SymbolFlags.BlockScopedVariable));
  const schemas = values.filter(({ name }) => name.endsWith("Schema"));
  const types = exports.filter((one) => is(one, SymbolFlags.Interface | SymbolFlags.TypeAlias));
  return [
    intro,
    "## Client",
    ...[...clients, ...others].map((one) => classText(library, one)),
    ...clients.flatMap((one) => resourcesOf(library, one)),
    "## Errors",
    ...errors.map((one) => classText(library, one)),
    "## Functions and constants",
    ...values.filter((one) => !schemas.includes(one)).map((one) => valueText(library, one)),
    "## Types",
    ...types.map((one) => typeText(library, one)),
    "## Schemas",
    "Schemas of [zod](https://zod.dev) that replies are checked by.",
    table(
      ["Schema", "Of"],
      schemas.map((one) => [code(one.name), schemaRemark(library, one)]),
    ),
  ].join("\n\n");
}

/** The objects behind the client's properties: their classes have no names of their own in the package. */
function resourcesOf(library: Library, client: ExportedSymbol): string[] {
  const { checker } = library;
  return membersOf(library, client).flatMap((property) => {
    const resource = checker.getTypeOfSymbol(property)?.getSymbol();
    if (resource === undefined || !is(resource, SymbolFlags.Class)) return [];
    return [classText(library, resource, `client.${property.name}`)];
  });
}

function classText(library: Library, symbol: ExportedSymbol, title = symbol.name): string {
  const { checker } = library;
  const type = checker.getDeclaredTypeOfSymbol(symbol);
  const base = type.getBaseTypes()?.[0];
  const isOwnBase = base && library.exports.some(({ name }) => name === base.getSymbol()?.name);
  const members = membersOf(library, symbol);
  const methods = members.filter((one) => signaturesOf(library, one).length > 0);
  const fields = members.filter((one) => !methods.includes(one) && one.name !== "name");
  return blocks(
    `### ${title}`,
    isOwnBase && `Extends ${code(base.getSymbol()?.name ?? "")}.`,
    commentOf(library, symbol),
    fieldTable(library, fields),
    ...methods.map((one) => methodText(library, one)),
  );
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

/** The members that the package declares: none that is private, and none of JavaScript's own. */
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

/** What an exported class inherits is told at its base, unless that is no export. */
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

/** The signatures of a method or function, without its name; none for anything else. */
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
}

/** A comment with what its tags say. */
function commentOf({ checker }: Library, symbol: ExportedSymbol): string {
  const tags = symbol.getJsDocTags(checker).map(({ name, text = "" }) => {
    if (name === "example") return `\`\`\`ts\n${text}\n\`\`\``;
    if (name === "throws")
      return text.replace(/^\{(.+?)\} ?(.*)/s, (_, types, why) => `Throws ${code(types)}${why && `: ${why}`}.`);
    return name === "param" ? text.replace(/^(\w+)/, "`$1`:") : `${name}: ${text}`;
  });
  return blocks(symbol.getDocumentationComment(checker), ...tags);
}

function is({ flags }: ExportedSymbol, wanted: number): boolean {
  return (flags & wanted) !== 0;
}

function blocks(...texts: readonly (string | false | undefined)[]): string {
  return texts.filter(Boolean).join("\n\n");
}
