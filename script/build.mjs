/**
 * Builds `dist`: `tsc` to `dist/js` (what libraries import), bundled entries in `dist/bundle` (what the launcher runs), data files beside
 * both, and a compile cache for the bundle. Writes `dist/.built` last, so that an interrupted build counts as none.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const output = join(root, "dist/js");
const bundle = join(root, "dist/bundle");
const startedAt = Date.now();

/** Modules that run as entries of their own: the command line and everything started as a thread. Base names are unique. */
const entries = [
  "cli/main.ts",
  "lisp/repl/lisp-command-thread.ts",
  ...globSync("workers/**/*-thread.ts", { cwd: root }),
];

/** Packages that find files beside themselves, and so stay outside the bundle. */
const external = ["piscina", "@vscode/ripgrep", "@lydell/node-pty", "fsevents", "react-devtools-core"];

rmSync(join(root, "dist/.built"), { force: true });
rmSync(bundle, { recursive: true, force: true });
execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: "inherit",
});

function copy(file, target) {
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, file), target);
}

/** Data files beside the modules that read them; the Lisp sources only where the library is compiled from them. */
function copyData() {
  for (const file of globSync("{lisp,roles,orchestrator,redis,workers,cli}/**/*.{lua,sexp,lisp}", {
    cwd: root,
  })) {
    copy(file, join(output, file));
    if (!file.endsWith(".lisp")) copy(file, join(bundle, basename(dirname(file)), basename(file)));
  }
}

async function bundleEntries() {
  const build = await rolldown({
    input: Object.fromEntries(
      entries.map((file) => [basename(file, ".ts"), join(output, file.replace(/\.ts$/, ".js"))]),
    ),
    platform: "node",
    external: (id) =>
      id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`)),
    logLevel: "warn",
  });
  await build.write({
    dir: bundle,
    format: "esm",
    sourcemap: false,
    chunkFileNames: "[name]-[hash].js",
    entryFileNames: "[name].js",
    minify: false,
  });
  await build.close();
}

const warmEnvironment = { ...process.env, NODE_COMPILE_CACHE: join(root, "dist/compile-cache") };
const node = [process.execPath, "--disable-warning=ExperimentalWarning"];

/** Entries that only run as threads with data of their own. */
const needsThreadData = new Set(["lisp-command-thread.js", "image-thread.js"]);

/** Loads every chunk once with the cache on; an entry's own side effects are kept out by AUTOLITH_WARM. */
function warmCompileCache() {
  const chunks = readdirSync(bundle).filter((name) => name.endsWith(".js") && !needsThreadData.has(name));
  const program = `
    import { flushCompileCache } from "node:module";
    for (const chunk of ${JSON.stringify(chunks)}) {
      try { await import(${JSON.stringify(`file://${bundle}/`)} + chunk); } catch (error) { console.error("not warmed: " + chunk + ": " + error); }
    }
    flushCompileCache();
    process.exit(0);`;
  execFileSync(node[0], [node[1], "--input-type=module", "-e", program], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...warmEnvironment, AUTOLITH_WARM: "1" },
  });
  // The Lisp is warmed by what it is for.
  execFileSync(node[0], [node[1], join(bundle, "main.js"), "lisp", "--eval", "1"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: warmEnvironment,
  });
}

/** Compiles the Lisp library to modules beside the engine, with copies beside the bundle. */
function buildLisp() {
  execFileSync(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      join(root, "script/build-lisp.mjs"),
      join(output, "lisp/library"),
      join(bundle, "library"),
    ],
    { cwd: root, stdio: ["ignore", "inherit", "inherit"] },
  );
}

copyData();
await bundleEntries();
buildLisp();
warmCompileCache();
writeFileSync(join(root, "dist/.built"), `${new Date().toISOString()}\n`);
process.stderr.write(
  `built ${entries.length} entries in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`,
);
