import { cookieVariable } from "./process-tree.ts";

/**
 * Variables a command may inherit. An allowlist, because nobody can list all names secrets go by: what is not here is
 * not seen by any command, test, gate or tool server.
 */
const inheritedNames: ReadonlySet<string> = new Set([
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TZDIR", "HOSTNAME"],
  ...[
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "XDG_DATA_DIRS",
    "XDG_CONFIG_DIRS",
  ],
  // Where tool chains are installed and keep their caches.
  ...["CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOBIN"],
  ...["GOTOOLCHAIN", "GOFLAGS", "GOPROXY", "GONOSUMDB", "GOPRIVATE", "JAVA_HOME", "JDK_HOME", "MAVEN_HOME"],
  ...["GRADLE_USER_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT", "NVM_DIR", "NVM_BIN", "FNM_DIR"],
  ...[
    "VOLTA_HOME",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "NODE_PATH",
    "NODE_EXTRA_CA_CERTS",
    "NPM_CONFIG_CACHE",
  ],
  ...[
    "NPM_CONFIG_REGISTRY",
    "NPM_CONFIG_PREFIX",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "CONDA_DEFAULT_ENV",
  ],
  ...[
    "PYTHONPATH",
    "PYTHONHOME",
    "PIP_INDEX_URL",
    "PIP_CACHE_DIR",
    "UV_CACHE_DIR",
    "POETRY_HOME",
    "RBENV_ROOT",
  ],
  ...[
    "GEM_HOME",
    "GEM_PATH",
    "BUNDLE_PATH",
    "ASDF_DIR",
    "ASDF_DATA_DIR",
    "MISE_DATA_DIR",
    "OPAMROOT",
    "SBCL_HOME",
  ],
  ...[
    "CL_SOURCE_REGISTRY",
    "ASDF_OUTPUT_TRANSLATIONS",
    "NIX_PATH",
    "NIX_PROFILES",
    "LOCALE_ARCHIVE",
    "CC",
    "CXX",
  ],
  ...[
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "CPATH",
    "LIBRARY_PATH",
    "LD_LIBRARY_PATH",
    "PKG_CONFIG_PATH",
    "MAKEFLAGS",
  ],
  ...["SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "GIT_SSL_CAINFO", "TERMINFO"],
  ...[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
  ],
]);

/** Settings that keep commands from waiting for a person: no editor, no pager, no password or host-key question. */
const unattendedSettings: Readonly<Record<string, string>> = {
  TERM: "dumb",
  CI: "1",
  NO_COLOR: "1",
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  // An editor that fails: `git commit` without a message ends at once and says so.
  EDITOR: "false",
  VISUAL: "false",
  GIT_EDITOR: "false",
  GIT_SEQUENCE_EDITOR: "false",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  SSH_ASKPASS: "false",
  SSH_ASKPASS_REQUIRE: "never",
  GIT_SSH_COMMAND: "ssh -o BatchMode=yes",
  SUDO_ASKPASS: "/bin/false",
  GCM_INTERACTIVE: "never",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_NO_INPUT: "1",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  NPM_CONFIG_YES: "false",
  NPM_CONFIG_UPDATE_NOTIFIER: "false",
  NPM_CONFIG_FUND: "false",
  HOMEBREW_NO_AUTO_UPDATE: "1",
  PYTHONUNBUFFERED: "1",
};

/** Whether a value is an address that carries a user name or password. */
function carriesCredentials(value: string): boolean {
  return /[a-z][a-z0-9+.-]*:\/\/[^/\s]*@/i.test(value);
}

export interface CommandEnvironmentOptions {
  /** Further names the user allows by configuration. */
  readonly extraNames?: readonly string[];
  /** Variables set last, over everything else (for example TMPDIR of a sandbox). */
  readonly set?: Readonly<Record<string, string>>;
}

/**
 * The environment of a command: the allowed part of the host's, then the settings that keep it unattended.
 * A proxy or package index with credentials in its address is left out.
 */
export function commandEnvironment(
  host: Readonly<Record<string, string | undefined>>,
  options: CommandEnvironmentOptions = {},
): Record<string, string> {
  const extra = new Set(options.extraNames);
  const environment: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    if (value === undefined || name === cookieVariable) continue;
    if (extra.has(name)) environment[name] = value;
    else if ((inheritedNames.has(name) || name.startsWith("LC_")) && !carriesCredentials(value)) {
      environment[name] = value;
    }
  }
  environment["PATH"] ??= "/usr/local/bin:/usr/bin:/bin";
  return { ...environment, ...unattendedSettings, ...options.set };
}
