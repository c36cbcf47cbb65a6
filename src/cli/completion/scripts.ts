/** Shells with completion. */
export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

const bash = `# beckon's completion for bash. In ~/.bashrc: source <(beckon completion bash)
_beckon() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("\${line%%$'\\t'*}")
  done < <(beckon completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o bashdefault -o default -F _beckon beckon
`;

const zsh = `#compdef beckon
# beckon's completion for zsh. In ~/.zshrc, after compinit: source <(beckon completion zsh)
_beckon() {
  local line
  local -a values
  while IFS= read -r line; do
    values+=("\${line/$'\\t'/:}")
  done < <(beckon completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#values} )) && _describe beckon values || _files
}
compdef _beckon beckon
`;

const fish = `# beckon's completion for fish: beckon completion fish > ~/.config/fish/completions/beckon.fish
function __beckon_words
  set -l words (commandline -opc)
  set -l typed (commandline -ct)
  beckon completion words -- $words[2..-1] "$typed" 2>/dev/null
end
complete -c beckon -f -a '(__beckon_words)'
`;

/** Completion scripts by shell. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish };
