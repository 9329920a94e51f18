/** Completion scripts of the shells, made from the command line's data. */
import {
  type CommandLine,
  type OptionLine,
  type ValueKind,
  commandLines,
  sessionOptionLines,
} from "./command-lines.ts";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** The script of a shell. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bashScript();
    case "zsh":
      return zshScript();
    case "fish":
      return fishScript();
  }
}

const everyOption: readonly OptionLine[] = [
  ...sessionOptionLines,
  { name: "--help", summary: "say how it is used" },
  { name: "--version", summary: "say which version this is" },
];

/** Subcommands whose next word may be a running session. */
const takesSession: ReadonlySet<string> = new Set(["tell", "pause", "attach", "detach", "kill"]);

const runningIds = "autolith lg status 2>/dev/null | awk 'NR > 1 { print $1 }'";

/** A command or subcommand with the words that lead to it. */
type Place = { readonly path: string; readonly line: CommandLine };

function places(): readonly Place[] {
  return commandLines.flatMap((line) => [
    { path: line.name, line },
    ...(line.subcommands ?? []).map((sub) => ({ path: `${line.name} ${sub.name}`, line: sub })),
  ]);
}

function optionsWithValues(): readonly OptionLine[] {
  const all = [...everyOption, ...places().flatMap(({ line }) => line.options)];
  const seen = new Set<string>();
  return all.filter(({ name, value }) => value !== undefined && !seen.has(name) && seen.add(name));
}

function bashValue(value: ValueKind): string {
  if (value === "file") return 'compgen -f -- "$current"';
  if (value === "directory") return 'compgen -d -- "$current"';
  return value === "none" ? ":" : `compgen -W "${value.join(" ")}" -- "$current"`;
}

function bashScript(): string {
  const valued = optionsWithValues();
  const values = valued.map(
    ({ name, value = "none" }) => `    ${name}) mapfile -t COMPREPLY < <(${bashValue(value)}); return ;;`,
  );
  const cases = places().map(({ path, line }) => {
    const words = [...(line.subcommands ?? []).map(({ name }) => name), ...wordsOf(line.arguments)];
    const ids = takesSession.has(line.name) ? ` $(${runningIds})` : "";
    const files = line.arguments === "file" ? "; files=yes" : "";
    return `    ${JSON.stringify(path)}) options="${optionNames(line.options)}"; words="${words.join(" ")}${ids}"${files} ;;`;
  });
  return `# bash completion of autolith: eval "$(autolith completion bash)"
_autolith() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path="" depth=0 index
  local options="" words="" files=""
  case "$previous" in
${values.join("\n")}
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "\${COMP_WORDS[index]}" in
      ${valued.map(({ name }) => name).join("|")}) ((index++)) ;;
      -*) ;;
      *) if ((depth < 2)); then path="\${path:+$path }\${COMP_WORDS[index]}"; ((depth++)); fi ;;
    esac
  done
  case "$path" in
    "") words="${commandLines.map(({ name }) => name).join(" ")}" ;;
${cases.join("\n")}
    *) case "\${path%% *}" in lisp) files=yes ;; esac ;;
  esac
  if [[ $current == -* ]]; then words="$options ${optionNames(everyOption)}"; files=""; fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; if [[ -n $files ]]; then compgen -f -- "$current"; fi)
}
complete -o filenames -F _autolith autolith
`;
}

function wordsOf(value: ValueKind): readonly string[] {
  return typeof value === "string" ? [] : value;
}

function optionNames(options: readonly OptionLine[]): string {
  return options.map(({ name }) => name).join(" ");
}

function zshQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

function zshValue(value: ValueKind): string {
  if (value === "file") return ":file:_files";
  if (value === "directory") return ":directory:_files -/";
  return value === "none" ? ":value: " : `:value:(${value.join(" ")})`;
}

function zshOption({ name, summary, value }: OptionLine): string {
  return zshQuoted(`${name}[${summary}]${value === undefined ? "" : zshValue(value)}`);
}

function zshWords(lines: readonly CommandLine[]): string {
  return lines.map(({ name, summary }) => zshQuoted(`${name}:${summary}`)).join(" ");
}

function zshScript(): string {
  const session = sessionOptionLines.map(zshOption).join(" ");
  const cases = commandLines.map((line) => {
    const options = line.options.map(zshOption).join(" ");
    if (line.subcommands !== undefined) return `    ${line.name}) _autolith_${line.name} ;;`;
    const rest =
      line.arguments === "file"
        ? "'*:file:_files'"
        : wordsOf(line.arguments).length > 0
          ? `'1:word:(${wordsOf(line.arguments).join(" ")})'`
          : "";
    return `    ${line.name}) _arguments ${[options, session, rest].filter((part) => part !== "").join(" ")} ;;`;
  });
  const groups = commandLines.flatMap(({ name, subcommands }) =>
    subcommands === undefined ? [] : [zshGroup(name, subcommands)],
  );
  return `#compdef autolith
# zsh completion of autolith: a file _autolith in a directory of fpath, or eval "$(autolith completion zsh)"
${groups.join("\n")}
_autolith() {
  local context state line
  _arguments -C ${everyOption.map(zshOption).join(" ")} '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands=(${zshWords(commandLines)})
    _describe command commands ;;
  argument)
    case $words[1] in
${cases.join("\n")}
    esac ;;
  esac
}
compdef _autolith autolith
`;
}

function zshGroup(name: string, lines: readonly CommandLine[]): string {
  const cases = lines.map((line) => {
    const ids = takesSession.has(line.name) ? ` "1:session:($(${runningIds}))"` : "";
    return `      ${line.name}) _arguments ${line.options.map(zshOption).join(" ")}${ids} ;;`;
  });
  return `_autolith_${name}() {
  local context state line
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
  command)
    local -a commands=(${zshWords(lines)})
    _describe command commands ;;
  argument)
    case $words[1] in
${cases.join("\n")}
    esac ;;
  esac
}`;
}

function fishValue(value: ValueKind | undefined): string {
  if (value === undefined) return "";
  if (value === "file") return " -r -F";
  if (value === "directory") return " -x -a '(__fish_complete_directories)'";
  return value === "none" ? " -x" : ` -x -a '${value.join(" ")}'`;
}

function fishOption(condition: string, { name, summary, value }: OptionLine): string {
  const when = condition === "" ? "" : ` -n '${condition}'`;
  return `complete -c autolith${when} -l ${name.slice(2)} -d ${fishQuoted(summary)}${fishValue(value)}`;
}

function fishScript(): string {
  const commands = commandLines.map(
    ({ name, summary }) =>
      `complete -c autolith -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
  );
  return `# fish completion of autolith: autolith completion fish | source
complete -c autolith -f
${[...everyOption.map((option) => fishOption("", option)), ...commands, ...commandLines.flatMap(fishCommand)].join("\n")}
`;
}

function fishCommand(line: CommandLine): readonly string[] {
  const seen = `__fish_seen_subcommand_from ${line.name}`;
  const subcommands = line.subcommands ?? [];
  const names = subcommands.map(({ name }) => name).join(" ");
  return [
    ...line.options.filter(({ name }) => name !== "--help").map((option) => fishOption(seen, option)),
    ...wordsOf(line.arguments).map((word) => `complete -c autolith -n '${seen}' -a ${word}`),
    ...(line.arguments === "file" ? [`complete -c autolith -n '${seen}' -F`] : []),
    ...subcommands.map(
      ({ name, summary }) =>
        `complete -c autolith -n '${seen}; and not __fish_seen_subcommand_from ${names}' -a ${name} -d ${fishQuoted(summary)}`,
    ),
    ...subcommands.flatMap((sub) => [
      ...sub.options
        .filter(({ name }) => name !== "--help")
        .map((option) => fishOption(`${seen}; and __fish_seen_subcommand_from ${sub.name}`, option)),
      ...(takesSession.has(sub.name)
        ? [
            `complete -c autolith -n '${seen}; and __fish_seen_subcommand_from ${sub.name}' -a "(${runningIds.replaceAll("$", "\\$")})"`,
          ]
        : []),
    ]),
  ];
}
