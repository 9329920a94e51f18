import {
  DataFormError,
  DataFormStream,
  PlistReader,
  describeForm,
  isInteger,
  keyword,
  listElements,
  readLocatedDataForm,
  type DataForm,
  type DataInput,
  type DataList,
  type FormLocations,
  type StreamReadOptions,
} from "../../lisp/data-forms/index.ts";
import { isRoleName } from "../../roles/index.ts";
import {
  OutputContractError,
  parseOutputContract,
  type OutputContract,
} from "../../roles/output-contract/index.ts";
import type { FailureCategory } from "./categories.ts";
import { RunJobFailure } from "./run-job-failure.ts";

/** A checked job request (facts A.2). */
export interface JobInput {
  /** The caller's name for the job, 1 to 256 characters. */
  readonly id: string;
  /** Lower case. */
  readonly role: string;
  /** 1 to 32,768 characters. */
  readonly prompt: string;
  /** The caller's opaque data. */
  readonly input: DataForm;
  readonly outputContract: OutputContract;
  /** The contract as it was written. */
  readonly outputContractForm: DataForm;
  /** 1 to 86,400. */
  readonly timeoutSeconds: number;
}

/** A request that was understood, or why it was refused and what id its result has (`""` when none could be found). */
export type JobInputReading =
  | { readonly job: JobInput }
  | { readonly failure: RunJobFailure; readonly recoveredId: string };

/** Bounds of a job file. */
export const jobInputLimits = {
  maxBytes: 1_048_576,
  maxDepth: 128,
  maxNodes: 65_536,
  maxStringCharacters: 524_288,
} as const;

/** Floats without a marker are single, as Common Lisp's reader takes them. */
const reading: StreamReadOptions = { limits: jobInputLimits, floatFormat: "single" };

const head = keyword("autolith-job");
const versionKey = keyword("version");
const idKey = keyword("id");
const keys = ["version", "id", "role", "prompt", "input", "output-contract", "timeout-seconds"];
export const maxIdCharacters = 256;
export const maxPromptCharacters = 32_768;
export const maxTimeoutSeconds = 86_400;

/** Reads and checks the text of a job file. Never throws for what is in it. */
export function readJobInput(text: DataInput): JobInputReading {
  let form: DataForm | undefined;
  try {
    const located = readLocatedDataForm(text, reading);
    form = located.form;
    return { job: checkJob(form, located.locations) };
  } catch (error) {
    const failure = inputFailure(error, form === undefined ? "invalid-input" : "invalid-envelope");
    return { failure, recoveredId: recoverId(form ?? firstForm(text)) };
  }
}

function inputFailure(error: unknown, category: FailureCategory): RunJobFailure {
  if (error instanceof RunJobFailure) return error;
  if (error instanceof OutputContractError) {
    return new RunJobFailure("invalid-contract", error.message, { cause: error });
  }
  if (error instanceof DataFormError) return new RunJobFailure(category, error.message, { cause: error });
  throw error;
}

function checkJob(form: DataForm, locations: FormLocations): JobInput {
  const list = listElements(form) ?? [];
  if (list[0] !== head) {
    const came = list[0] === undefined ? describeForm(form) : `a list whose head is ${describeForm(list[0])}`;
    const problem = `a list with the head :autolith-job was expected, got ${came}`;
    throw new DataFormError("invalid-structure", problem, { position: locations.start });
  }
  checkVersion(list, locations);
  const job = new PlistReader(list, 1, { what: "a job", keys, locations });
  job.requiredForm("version");
  const input = job.requiredForm("input");
  const outputContractForm = job.requiredForm("output-contract");
  return {
    id: job.string("id", { minCharacters: 1, maxCharacters: maxIdCharacters, blankAllowed: true }),
    role: readRole(job),
    prompt: job.string("prompt", {
      minCharacters: 1,
      maxCharacters: maxPromptCharacters,
      blankAllowed: true,
    }),
    timeoutSeconds: job.integer("timeout-seconds", { minimum: 1, maximum: maxTimeoutSeconds }),
    input,
    outputContractForm,
    outputContract: parseOutputContract({
      form: outputContractForm,
      locations,
      position: job.valuePosition("output-contract"),
    }),
  };
}

/** Before the keys are checked, because a later version has other keys. */
function checkVersion(list: DataList, locations: FormLocations): void {
  const [version, ...more] = valuesOf(list, versionKey);
  if (version === undefined || version === 1 || more.length > 0) return;
  const came = isInteger(version) ? String(version) : describeForm(version);
  const position = locations.elementPosition(list, list.indexOf(versionKey) + 1);
  const { message } = new DataFormError("invalid-value", `:version must be the integer 1, got ${came}`, {
    position,
  });
  throw new RunJobFailure("unsupported-version", message);
}

function readRole(job: PlistReader): string {
  const role = job.string("role");
  if (isRoleName(role)) return role.toLowerCase();
  const rule = "must be a role's name (an ASCII letter, then letters, digits and hyphens, 64 at most)";
  throw job.invalidValue("role", `${rule}, got ${JSON.stringify(role.slice(0, 80))}`);
}

/** The id of a refused request, when its head is right and exactly one valid `:id` stands at a key's place; else `""`. */
function recoverId(form: DataForm | undefined): string {
  const list = form === undefined ? [] : (listElements(form) ?? []);
  if (list[0] !== head) return "";
  const valid = valuesOf(list, idKey).filter(
    (value): value is string => typeof value === "string" && isValidId(value),
  );
  return valid.length === 1 ? (valid[0] as string) : "";
}

function isValidId(text: string): boolean {
  return text !== "" && Array.from(text.slice(0, 2 * maxIdCharacters + 1)).length <= maxIdCharacters;
}

/** The values that follow `key` where keys stand. */
function valuesOf(list: DataList, key: DataForm): DataForm[] {
  return list.filter((_, index) => index > 1 && index % 2 === 0 && list[index - 1] === key);
}

/** The first form of a text whose reading failed later on, for instance because a second form follows. */
function firstForm(text: DataInput): DataForm | undefined {
  if (text.length > jobInputLimits.maxBytes) return undefined;
  try {
    return new DataFormStream(reading).push(text)[0];
  } catch (error) {
    if (error instanceof DataFormError) return undefined;
    throw error;
  }
}
