/** Word of a command line, as a shell passes it on. */
export interface Word {
  /** Text without quotes; variables other than the home and the working folder stay as written. */
  readonly text: string;
  /** True if the shell puts something else in its place, such as a variable's value or matching files. */
  readonly isComputed: boolean;
  /** True for the file, text or descriptor of a redirection. */
  readonly isRedirected?: true;
}

/** Simple commands of a command line, each with its words and redirections. */
export type Commands = readonly (readonly Word[])[];

const operators = new Set([";", "&", "|", "\n", "(", ")", "{", "}", "`"]);
const space = /[ \t\r]/;

/**
 * Splits a command line into simple commands, as shells do: at operators, line breaks, braces and substitutions, whose
 * text is a command too. Takes linear time.
 * @returns undefined if a quotation or substitution does not end, because shells may then read it otherwise
 */
export function splitCommands(line: string, cwd: string): Commands | undefined {
  const reader = new Reader(line, cwd);
  return reader.read() ? reader.commands.filter((words) => words.length > 0) : undefined;
}

/** Word that is being read, and the command that it belongs to. */
interface OpenWord {
  command: Word[];
  text?: string | undefined;
  isComputed: boolean;
  isRedirected: boolean;
}

class Reader {
  readonly commands: Word[][] = [];
  readonly #line: string;
  readonly #cwd: string;
  #at = 0;
  /** Substitutions, with the words that they interrupt, and double quotes that are open, outermost first. */
  readonly #open: { readonly mark: "(" | "`" | '"'; readonly word?: OpenWord }[] = [];
  #word = this.#begin();

  constructor(line: string, cwd: string) {
    this.#line = line;
    this.#cwd = cwd;
  }

  /** Reads the whole line. Returns false if something in it does not end. */
  read(): boolean {
    // In a substitution, the parentheses of `case` would be taken for its end.
    if (/\besac\b/.test(this.#line) && /[$`]/.test(this.#line)) return false;
    // In a here-document, quotes and `#` hide no substitution.
    const start = this.#line.search(/(?<!<)<<-?[ \t]*[A-Za-z_]/);
    const text = start < 0 ? "" : this.#line.slice(start);
    if (/\$\(|`/.test(text) && /["'#\\]/.test(text)) return false;
    while (this.#at < this.#line.length) if (!this.#step()) return false;
    this.#endWord();
    return this.#open.length === 0;
  }

  #step(): boolean {
    const sign = this.#line.charAt(this.#at);
    const isQuoted = this.#open.at(-1)?.mark === '"';
    if (sign === "\\") return this.#escape(isQuoted);
    if (sign === '"') return this.#toggleQuote(isQuoted);
    if (sign === "$") return this.#expand(isQuoted);
    if (sign === "`") return this.#substitute(sign, this.#open.at(-1)?.mark === sign);
    return isQuoted ? this.#add(sign) : this.#stepOutside(sign);
  }

  /** Reads a sign outside double quotes. */
  #stepOutside(sign: string): boolean {
    if (sign === "'") return this.#quote();
    if (sign === "#" && this.#word.text === undefined) {
      const end = this.#line.indexOf("\n", this.#at);
      this.#at = end < 0 ? this.#line.length : end;
      return true;
    }
    if (sign === ")" && this.#open.at(-1)?.mark === "(") return this.#substitute("(", true);
    if (sign === "(" && /[<>=]/.test(this.#line.charAt(this.#at - 1))) {
      this.#word.isRedirected = false;
      return this.#substitute("(", false);
    }
    if (sign === "(" && this.#open.length > 0) this.#open.push({ mark: sign });
    if (sign === "{" && !/[\s;]/.test(this.#line.charAt(this.#at + 1) || " ")) return this.#add(sign, true);
    if (sign === "}" && this.#word.text !== undefined) return this.#add(sign);
    if (operators.has(sign)) return this.#endCommand();
    if (sign === "<" || sign === ">") return this.#redirect();
    if (!space.test(sign)) return this.#add(sign, /[*?[]/.test(sign));
    this.#endWord();
    this.#at += 1;
    return true;
  }

  /** Reads the sign of a redirection, such as `2>&`; and, in `$(cat <<'EOF'`, a text that no shell reads. */
  #redirect(): boolean {
    const rest = this.#line.slice(this.#at);
    const [whole, , delimiter] = /^<<-?[ \t]*(["'])(\w+)\1\n/.exec(rest) ?? [];
    const [program, argument] = this.#word.command;
    const isCat = this.#word.text === undefined && program?.text === "cat" && argument === undefined;
    if (whole !== undefined && isCat && this.#open.at(-1)?.mark === "(") {
      const end = new RegExp(`^\\t*${delimiter}$`, "m").exec(rest.slice(whole.length));
      if (!end) return false;
      this.#at += whole.length + end.index + end[0].length;
      return true;
    }
    if (/^\d+$/.test(this.#word.text ?? "")) this.#word.text = undefined;
    this.#endWord();
    this.#at += /^[<>&|]*/.exec(rest)?.[0].length ?? 1;
    this.#word.isRedirected = true;
    return true;
  }

  /** Adds a text to the word, and goes on after as many characters of the line. */
  #add(text: string, isComputed = false, length = 1): true {
    this.#word.text = (this.#word.text ?? "") + text;
    this.#word.isComputed ||= isComputed;
    this.#at += length;
    return true;
  }

  #escape(isQuoted: boolean): boolean {
    const next = this.#line.charAt(this.#at + 1);
    // In backquotes, an escaped one begins another substitution.
    if (next === "" || (next === "`" && this.#open.some(({ mark }) => mark === next))) return false;
    if (next !== "\n")
      this.#word.text = (this.#word.text ?? "") + (isQuoted && !/["$`\\]/.test(next) ? `\\${next}` : next);
    this.#at += 2;
    return true;
  }

  #toggleQuote(isQuoted: boolean): true {
    if (isQuoted) this.#open.pop();
    else this.#open.push({ mark: '"' });
    this.#word.text ??= "";
    this.#at += 1;
    return true;
  }

  #quote(): boolean {
    const end = this.#line.indexOf("'", this.#at + 1);
    if (end < 0) return false;
    return this.#add(this.#line.slice(this.#at + 1, end), false, end + 1 - this.#at);
  }

  /** Reads what begins with `$`: a substitution, whose text is a command, or a variable. */
  #expand(isQuoted: boolean): boolean {
    const next = this.#line.charAt(this.#at + 1);
    const [sum] = /^\$\(\([\w\s$+*/%<>=!&|^~?:,-]*\)\)/.exec(this.#line.slice(this.#at, this.#at + 200)) ?? [];
    if (sum !== undefined) return this.#add(sum, true, sum.length);
    if (next === "(") {
      this.#at += 1;
      return this.#substitute("(", false);
    }
    const known = /^\$(?:(HOME|PWD)\b|\{(HOME|PWD)\})/.exec(this.#line.slice(this.#at, this.#at + 10));
    if (known) return this.#add((known[1] ?? known[2]) === "HOME" ? "~" : this.#cwd, false, known[0].length);
    if (next === "{") {
      const end = this.#line.indexOf("}", this.#at);
      const value = this.#line.slice(this.#at, end + 1);
      return end >= 0 && !/[`'"]|\$\(/.test(value) && this.#add(value, true, value.length);
    }
    if (next === "'" && !isQuoted) {
      const [escaped] = /^\$'(?:[^'\\]|\\[\s\S])*'/.exec(this.#line.slice(this.#at)) ?? [];
      return escaped !== undefined && this.#add(escaped, true, escaped.length);
    }
    const isExpanded = /[\w@*#?$!"-]/.test(next) && !(isQuoted && next === '"');
    return this.#add("$", isExpanded);
  }

  /** Begins a substitution, which makes its word a computed one, or ends it and goes on with that word. */
  #substitute(mark: "(" | "`", isEnd: boolean): true {
    if (!isEnd) {
      this.#add(mark, true);
      this.#open.push({ mark, word: this.#word });
      this.#word = this.#begin();
      return true;
    }
    this.#endCommand();
    this.#word = this.#open.pop()?.word ?? this.#word;
    return true;
  }

  #begin(): OpenWord {
    const command: Word[] = [];
    this.commands.push(command);
    return { command, isComputed: false, isRedirected: false };
  }

  #endCommand(): true {
    this.#endWord();
    this.#word = this.#begin();
    this.#at += 1;
    return true;
  }

  #endWord(): void {
    const { command, text, isComputed, isRedirected } = this.#word;
    if (text === undefined) return;
    const isTest = text === "[" || text === "[[";
    command.push({ text, isComputed: isComputed && !isTest, ...(isRedirected && { isRedirected: true as const }) });
    this.#word = { command, isComputed: false, isRedirected: false };
  }
}
