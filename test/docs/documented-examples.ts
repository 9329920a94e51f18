import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** A fenced block of a page. */
export interface DocumentedExample {
  /** The words after the fence: the language, then what the block is. */
  readonly language: string;
  readonly what: readonly string[];
  readonly text: string;
  /** 1-based line of the fence. */
  readonly line: number;
}

const docs = resolve(dirname(fileURLToPath(import.meta.url)), "../../docs");

/** The text of `docs/PAGE`. */
export function pageText(page: string): string {
  return readFileSync(join(docs, page), "utf8");
}

/** The fenced blocks of a page, in their order. */
export function documentedExamples(page: string): DocumentedExample[] {
  const lines = pageText(page).split("\n");
  const examples: DocumentedExample[] = [];
  for (let index = 0; index < lines.length; index++) {
    const fence = /^```(\w.*)$/.exec(lines[index] as string);
    if (fence === null) continue;
    const end = lines.indexOf("```", index);
    const [language = "", ...what] = (fence[1] as string).split(" ");
    examples.push({ language, what, text: lines.slice(index + 1, end).join("\n"), line: index + 1 });
    index = end;
  }
  return examples;
}

/** Those of a page whose words begin with these. */
export function examplesOf(page: string, language: string, what?: string): DocumentedExample[] {
  return documentedExamples(page).filter(
    (example) => example.language === language && (what === undefined || example.what[0] === what),
  );
}

/** The first column of the first table that begins with `header`. */
export function tableColumn(page: string, header: string): string[] {
  const lines = pageText(page).split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${header} |`));
  if (start < 0) throw new Error(`${page} has no table whose first column is ${header}`);
  const rows: string[] = [];
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith("|")) break;
    rows.push(line.split("|")[1]?.trim() ?? "");
  }
  return rows;
}
