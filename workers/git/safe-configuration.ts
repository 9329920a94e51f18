/**
 * The configuration under which the host runs git: nothing of a repository, and nothing of the user, may run a command. Pure.
 *
 * Global and system configuration are not read at all, but for the few settings that say how files look and who commits. What the
 * repository's own configuration names (hooks, filters, merge drivers, helpers) is overridden name by name, since git has no switch
 * for all of it.
 */

/** One setting as `git config --list -z --show-scope` tells it. Keys are in git's lower-cased form. */
export type ConfigurationEntry = { readonly scope: string; readonly key: string; readonly value: string };

export type Setting = readonly [key: string, value: string];

/** Reads that listing. A key without a value means true. */
export function parseConfiguration(listing: string): readonly ConfigurationEntry[] {
  const fields = listing.split("\0");
  const entries: ConfigurationEntry[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [scope = "", setting = ""] = [fields[index], fields[index + 1]];
    const end = setting.indexOf("\n");
    entries.push(
      end < 0
        ? { scope, key: setting, value: "true" }
        : { scope, key: setting.slice(0, end), value: setting.slice(end + 1) },
    );
  }
  return entries;
}

/** Set for every command. `false` and `true` are the programs of these names where git expects a command. */
const alwaysSet: readonly Setting[] = [
  ["core.hooksPath", "/dev/null"],
  ["core.fsmonitor", "false"],
  ["core.askPass", "false"],
  ["core.editor", "false"],
  ["sequence.editor", "false"],
  ["core.pager", "cat"],
  ["core.sshCommand", "false"],
  ["credential.helper", ""],
  ["commit.gpgSign", "false"],
  ["log.showSignature", "false"],
  ["merge.verifySignatures", "false"],
  ["gpg.program", "false"],
  ["gc.auto", "0"],
  ["maintenance.auto", "false"],
  ["submodule.recurse", "false"],
  ["rerere.enabled", "false"],
  ["diff.noprefix", "false"],
  ["diff.mnemonicPrefix", "false"],
  ["apply.ignoreWhitespace", "no"],
  ["advice.detachedHead", "false"],
];

/** Settings of the user that are kept: who commits, how files look, whose repositories are trusted. */
const keptKeys: ReadonlySet<string> = new Set([
  ...["user.name", "user.email", "author.name", "author.email", "committer.name", "committer.email"],
  ...["core.autocrlf", "core.eol", "core.safecrlf", "core.excludesfile", "core.attributesfile"],
  ...["core.longpaths", "core.precomposeunicode", "core.protecthfs", "core.protectntfs", "safe.directory"],
]);

/** For each setting that names a command: what makes it run none. The key's own middle part, in its own case, is kept. */
const disarmed: readonly (readonly [
  pattern: RegExp,
  settings: (key: string, name: string) => readonly Setting[],
])[] = [
  // An empty filter is no filter.
  [
    /^filter\.(.+)\.(?:clean|smudge|process)$/s,
    (key, name) => [
      [key, ""],
      [`filter.${name}.required`, "false"],
    ],
  ],
  // A driver that fails leaves a conflict; an empty one would end git.
  [/^merge\.(.+)\.driver$/s, (key) => [[key, "false"]]],
  [/^diff\.(.+)\.(?:textconv|command)$/s, (key) => [[key, "false"]]],
  [/^diff\.(external)$/, (key) => [[key, "false"]]],
  [/^credential\.(.+)\.helper$/s, (key) => [[key, ""]]],
  [/^gpg\.(.+)\.(?:program|defaultkeycommand)$/s, (key) => [[key, "false"]]],
  [/^trailer\.(.+)\.(?:command|cmd)$/s, (key) => [[key, "false"]]],
  [
    /^hook\.(.+)\.command$/s,
    (key, name) => [
      [key, "false"],
      [`hook.${name}.enabled`, "false"],
    ],
  ],
  [/^submodule\.(.+)\.update$/s, (key) => [[key, "none"]]],
  [/^pager\.(.+)$/s, (key) => [[key, "false"]]],
  [/^core\.(alternaterefscommand|gitproxy)$/, (key) => [[key, "false"]]],
];

/** What to set for the commands in a repository with this configuration. */
export function safeSettings(entries: readonly ConfigurationEntry[]): readonly Setting[] {
  const kept = entries
    .filter(({ scope, key }) => isForeign(scope) && keptKeys.has(key))
    .map(({ key, value }): Setting => [key, value]);
  const overriding = new Map<string, string>();
  for (const { scope, key } of entries) {
    if (isForeign(scope)) continue;
    for (const [name, value] of disarm(key)) overriding.set(name, value);
  }
  return [...keptBelow(kept, entries), ...alwaysSet, ...overriding];
}

/** Names of content filters that the repository's or the user's configuration would run. */
export function filterNames(entries: readonly ConfigurationEntry[]): readonly string[] {
  const names = entries.flatMap(
    ({ key, value }) =>
      (value === "" ? undefined : /^filter\.(.+)\.(?:clean|smudge|process)$/s.exec(key)?.[1]) ?? [],
  );
  return [...new Set(names)];
}

function disarm(key: string): readonly Setting[] {
  for (const [pattern, settings] of disarmed) {
    const name = pattern.exec(key)?.[1];
    if (name !== undefined) return settings(key, name);
  }
  return [];
}

function isForeign(scope: string): boolean {
  return scope === "system" || scope === "global";
}

/** What the user set everywhere must not win over what the repository sets itself. */
function keptBelow(kept: readonly Setting[], entries: readonly ConfigurationEntry[]): readonly Setting[] {
  const own = new Set(entries.flatMap(({ scope, key }) => (isForeign(scope) ? [] : [key])));
  return kept.filter(([key]) => key === "safe.directory" || !own.has(key));
}

/** The environment variables that set them. */
export function settingVariables(settings: readonly Setting[]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(settings.length) };
  for (const [index, [key, value]] of settings.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
