/** All readers that are fuzzed. */
import { documentSubjects } from "./document-subjects.ts";
import { exchangeSubjects } from "./exchange-subjects.ts";
import { recordSubjects } from "./record-subjects.ts";
import { resourceSubjects } from "./resource-subjects.ts";
import { toolCallSubjects } from "./tool-call-subjects.ts";
import { lispSubjects } from "./lisp-subjects.ts";
import type { FuzzSubject } from "./subject.ts";

const subjects: readonly FuzzSubject[] = [
  ...documentSubjects,
  ...recordSubjects,
  ...exchangeSubjects,
  ...resourceSubjects,
  ...toolCallSubjects,
  ...lispSubjects,
];

export const subjectNames: readonly string[] = subjects.map(({ name }) => name);

/** The subject of that name. Throws for a name that is not one of {@link subjectNames}. */
export function subjectNamed(name: string): FuzzSubject {
  const found = subjects.find((subject) => subject.name === name);
  if (found === undefined)
    throw new Error(`There is no subject ${name}; there are ${subjectNames.join(", ")}.`);
  return found;
}
