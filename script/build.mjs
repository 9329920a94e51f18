/**
 * Builds `dist`: `tsc` to `dist/js` (what libraries import), bundled entries in `dist/bundle` (what the launcher runs), data files beside
 * both, and a compile cache for the bundle. Writes `dist/.built` last, so that an interrupted build counts as none.
 */
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { bundleProgram } from "./build/program.mjs";
import { warmUp } from "./build/warm-up.mjs";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const output = join(root, "dist/js");
const bundle = join(root, "dist/bundle");
const startedAt = Date.now();

/** What the launcher starts, and the threads of its commands. Base names are unique, these and the next ones together. */
const programEntries = ["cli/main.ts", "workers/agent/agent-thread.ts"];

/** Threads that are modules, because they load the Lisp library's modules. */
const moduleEntries = ["lisp/repl/lisp-command-thread.ts", "workers/image/image-thread.ts"];

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

const compiled = (file) => join(output, file.replace(/\.ts$/, ".js"));
const isExternal = (id) =>
  id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`));

/** Bundles compiled modules to modules. */
async function bundleModules(files) {
  const build = await rolldown({
    input: Object.fromEntries(files.map((file) => [basename(file, ".js"), file])),
    platform: "node",
    // React and its reconciler come in two builds; the one for production is smaller and does not check itself.
    transform: { define: { "process.env.NODE_ENV": JSON.stringify("production") } },
    external: isExternal,
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
const modules = await bundleProgram({
  entries: programEntries.map(compiled),
  folder: bundle,
  external: isExternal,
  moduleDirectory: join(output, "cli/terminal"),
});
await bundleModules([...moduleEntries.map(compiled), ...modules]);
buildLisp();
await warmUp({ bundle, compileCache: join(root, "dist/compile-cache") });
writeFileSync(join(root, "dist/.built"), `${new Date().toISOString()}\n`);
process.stderr.write(
  `built ${programEntries.length + moduleEntries.length} entries in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`,
);
