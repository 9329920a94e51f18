/**
 * Parts of packages that no code of ours reaches at run time, left out of the program: what is not in it is neither read nor
 * compiled at each start. Each stand-in fails by name when it is used after all, and the build fails when a part is no longer found.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/** BullMQ's index also loads its PostgreSQL store, its flows and its sandboxes. */
const bullmqEntry = `
export { Queue } from ${JSON.stringify(require.resolve("bullmq/dist/cjs/classes/queue.js"))};
export { Worker } from ${JSON.stringify(require.resolve("bullmq/dist/cjs/classes/worker.js"))};
`;

/** Schedules by cron expression are not used: BullMQ's schedulers would run work again by themselves. */
const cronParser = `
module.exports = new Proxy({}, { get: (_, name) => {
  if (name === "__esModule" || typeof name === "symbol") return undefined;
  throw new Error("cron-parser is not part of this program; its " + name + " was asked for");
} });
`;

/** The client makes an object of each resource; requests go through its \`post\` alone. */
const openAiResource = /[\\/]node_modules[\\/]openai[\\/]resources[\\/].*\.mjs$/;

/** The names a module exports, whose declarations are of the plain forms that generated code has. */
function exportedNames(source) {
  const declared = source.matchAll(/^export (?:class|const|function|let|var) (\w+)/gm);
  const listed = source.matchAll(/^export \{([^}]*)\}/gm);
  const names = new Set([...declared].map(([, name]) => name));
  for (const [, list] of listed)
    for (const entry of list.split(",")) {
      const name = entry
        .trim()
        .split(/\s+as\s+/)
        .at(-1);
      if (name) names.add(name);
    }
  return [...names];
}

/** A rolldown plugin. */
export function withoutUnusedParts() {
  const found = { bullmq: 0, "cron-parser": 0, "openai/resources": 0 };
  return {
    name: "without-unused-parts",
    resolveId(source) {
      if (source !== "bullmq" && source !== "cron-parser") return undefined;
      found[source] += 1;
      return `\0${source}${source === "cron-parser" ? ".cjs" : ""}`;
    },
    load(id) {
      if (id === "\0bullmq") return bullmqEntry;
      if (id === "\0cron-parser.cjs") return { code: cronParser, moduleType: "js" };
      if (!openAiResource.test(id)) return undefined;
      const source = readFileSync(id, "utf8");
      if (!source.includes("extends APIResource")) return undefined;
      found["openai/resources"] += 1;
      return exportedNames(source)
        .map((name) => `export class ${name} {}`)
        .join("\n");
    },
    buildEnd() {
      const missing = Object.keys(found).filter((part) => found[part] === 0);
      if (missing.length > 0)
        throw new Error(
          `Parts that the program leaves out were not found: ${missing.join(", ")}. Their packages have changed; look at script/build/unused-parts.mjs.`,
        );
    },
  };
}
