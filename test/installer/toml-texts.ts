import fc from "fast-check";

const command = fc.constantFrom(
  '"say done"',
  "'''say \"[[hooks]]\" '''",
  '"echo ~/.beckon/hook Stop"',
  '"""two\nlines # no comment"""',
  '"ü \\u00e9 \\"q\\" \\\\"',
  '"~/.beckon/hook Stop --agent kimi --wait 3 || :"',
  "'~/.beckon/hook Stop --agent claude || :'",
);
const event = fc.constantFrom("Stop", "Notification", "PreToolUse");
const pair = fc.tuple(event, command, fc.option(fc.nat(99)), fc.option(fc.constantFrom("'a|b'", '""')));
const comment = fc.constantFrom("", "", "", " # why", "\t# [[hooks]] = '''");
const gap = fc.constantFrom("", "", "\n", "# own line\n", "\n  \n# two\n\n");
const plain = ["1", "1.50", "0x1F", "true", "2026-11-21T08:00:00Z", "'#'", '"a # b"'];
const value = fc.constantFrom(...plain, "[1, [2, ], # c\n 3]", '{ a = 1, "b.c" = [] }');

const table = fc
  .tuple(pair, comment, gap, fc.constantFrom("[[hooks]]", "[[ hooks ]]", '[["hooks"]]', "  [[hooks]]"))
  .map(([[name, line, timeout, matcher], behind, above, header]) => {
    const pairs = [
      `event = "${name}"`,
      ...(matcher === null ? [] : [`matcher = ${matcher}`]),
      `command   =  ${line}${behind}`,
      ...(timeout === null ? [] : [`timeout=${timeout}`]),
    ];
    return `${above}${header}${behind}\n${pairs.join("\n")}\n`;
  });
const element = fc.tuple(pair, fc.constantFrom("", " ", "\n  ", " # c\n")).map(([[name, line, timeout], space]) => {
  const inline = line.startsWith('"""') ? '"one line"' : line;
  return `${space}{ event = "${name}", command = ${inline}${timeout === null ? "" : `, timeout = ${timeout}`} }${space}`;
});
const inArray = fc
  .tuple(fc.array(element, { maxLength: 3 }), fc.boolean(), comment)
  .map(([elements, comma, behind]) => {
    return `hooks = [${elements.join(",")}${comma && elements.length > 0 ? "," : ""}]${behind}\n`;
  });
const others = fc
  .uniqueArray(fc.tuple(fc.constantFrom("a", "b.c", '"x y"', "'hooks '", "hook"), value, comment), {
    selector: ([key]) => key,
    maxLength: 3,
  })
  .map((pairs) => pairs.map(([key, text, behind]) => `${key} = ${text}${behind}\n`).join(""));
const section = fc
  .tuple(gap, fc.constantFrom("model", "providers.kimi", '"hooks.x"', "loop . control"), others)
  .map(([above, name, pairs]) => ({ name, text: `${above}[${name}]\n${pairs}` }));
const sections = fc.uniqueArray(section, { selector: ({ name }) => name, maxLength: 2 });

/**
 * Generates TOML settings files: with hooks as tables or in an array, of other programs and of older beckons, in any
 * layout.
 */
export const tomlSettings: fc.Arbitrary<string> = fc
  .tuple(
    others,
    fc.oneof({ weight: 3, arbitrary: fc.array(table, { maxLength: 3 }) }, { weight: 1, arbitrary: inArray }),
    sections,
    gap,
    fc.boolean(),
    fc.boolean(),
  )
  .map(([root, hooks, named, tail, isDos, isCut]) => {
    const tables = typeof hooks === "string" ? [] : hooks;
    const pieces = [...named.map(({ text }) => text)];
    for (const [index, each] of tables.entries()) pieces.splice(index % (pieces.length + 1), 0, each);
    const text = (typeof hooks === "string" ? hooks : "") + root + pieces.join("") + tail;
    const laidOut = isDos ? text.replaceAll("\n", "\r\n") : text;
    return isCut ? laidOut.replace(/\r?\n$/, "") : laidOut;
  });
