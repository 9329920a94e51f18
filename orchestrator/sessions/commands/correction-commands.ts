/** `complain`, also called `wtf`: a complaint becomes a persistent correction, in a dialog or by options that answer its questions. */
import { AutolithError, failureOf } from "../../contract/failure.ts";
import type { Invocation } from "../../contract/session/catalogs.ts";
import {
  type CorrectionCandidate,
  type Corrections,
  complaintLimit,
  correctionScopeSchema,
} from "../../contract/session/corrections.ts";
import { type Command, said } from "./command.ts";

const optionNames = [
  "scope",
  "id",
  "instruction",
  "trigger",
  "confirm-unmatched",
  "confirm-replace",
] as const;
type OptionName = (typeof optionNames)[number];

export type Complaint = {
  readonly text: string;
  readonly options: ReadonlyMap<OptionName, string>;
};

const option = new RegExp(
  String.raw`(?:^|\s):(${optionNames.join("|")})\s+("(?:[^"\\]|\\.)*"|[^\s"]\S*)\s*$`,
  "is",
);

/** Most characters of a complaint with its options. */
export const complaintInputCharacters = 20_000;

/** A complaint is any text; options are those at its end. In a text in quotes nothing is an option. Throws `invalid-argument`. Pure. */
export function complaintOf(input: string): Complaint {
  const written = input.trim();
  if (written.length > complaintInputCharacters)
    throw new AutolithError(
      "invalid-argument",
      `complain takes at most ${complaintInputCharacters} characters with its options, not ${written.length}.`,
    );
  const quoted = /^"(?:[^"\\]|\\.)*"(?=\s|$)/s.exec(written)?.[0];
  const { rest, options } = withoutOptions(quoted === undefined ? written : written.slice(quoted.length));
  const isPlain = quoted !== undefined && rest !== "";
  refuseWithoutValue(rest);
  if (isPlain) return { ...bare(withoutOptions(written).rest), options };
  return { ...bare(quoted === undefined ? rest : unquoted(quoted)), options };
}

/** A whole complaint, or what stands behind a text in quotes, that is the name of an option lacks its value. */
function refuseWithoutValue(rest: string): void {
  const name = /^:([a-z-]+)$/i.exec(rest)?.[1]?.toLowerCase();
  if (optionNames.some((each) => each === name))
    throw new AutolithError("invalid-argument", `complain: :${name ?? ""} needs a value behind it.`);
}

function bare(text: string): { readonly text: string } {
  return { text: text.toLowerCase() === "nil" ? "" : text };
}

/** What stands before the options at the end of a text. The last one of a name counts. */
function withoutOptions(text: string): { readonly rest: string; readonly options: Complaint["options"] } {
  const options = new Map<OptionName, string>();
  let rest = text;
  for (let match = option.exec(rest); match !== null; match = option.exec(rest)) {
    const name = (match[1] ?? "").toLowerCase() as OptionName;
    if (!options.has(name)) options.set(name, unquoted(match[2] ?? ""));
    rest = rest.slice(0, match.index);
  }
  return { rest: rest.trim(), options };
}

function unquoted(text: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"$/s.exec(text)?.[1];
  return quoted === undefined ? text : quoted.replaceAll(/\\(.)/gs, "$1").trim();
}

export const correctionCommands: readonly Command[] = [
  {
    name: "complain",
    aliases: ["wtf"],
    busy: "execute",
    topic: "model",
    summary:
      "Makes a persistent correction of a complaint: a model proposes an instruction and the text that triggers it, and you amend and save them.",
    arguments: "[TEXT] [:scope workspace|global] [:instruction TEXT :trigger TEXT :id ID]",
    lambdaList: `&optional complaint &key ${optionNames.join(" ")}`,
    quotes: true,
    run: async (input, { session, canReview }) => {
      const complaint = complaintOf(input);
      if (complaint.options.size > 0) return answeredComplaint(complaint, session.corrections);
      if (!canReview()) throw noReview();
      const { text } = complaint;
      if (text.length > complaintLimit)
        throw new AutolithError(
          "invalid-argument",
          `A complaint has at most ${complaintLimit} characters, not ${text.length}.`,
        );
      return {
        text:
          text === ""
            ? "Say what was wrong."
            : "A review of the correction is opened; what becomes of it is said at its end.",
        clientAction: "review-correction",
        ...(text === "" ? {} : { complaint: text }),
      };
    },
  },
];

function noReview(): AutolithError {
  return new AutolithError(
    "interaction-required",
    'A complaint is reviewed in a dialog, and no client is attached that has one. Answer its questions with options: complain "TEXT" :scope workspace, or :scope global; :instruction, :trigger and :id in place of what the model would propose; :confirm-unmatched t and :confirm-replace t when you are asked for them. Clients can use _autolith/correction.',
  );
}

/** Without a dialog: the options say what it would ask. */
async function answeredComplaint(
  { text, options }: Complaint,
  corrections: Corrections,
): Promise<Invocation> {
  const scope = correctionScopeSchema.safeParse(options.get("scope")?.replace(/^:/, "").toLowerCase());
  if (!scope.success)
    throw new AutolithError(
      "invalid-argument",
      `:scope says where the correction holds: workspace or global, not ${JSON.stringify(options.get("scope") ?? "nothing")}.`,
    );
  const candidate = await candidateFor(text, options, corrections);
  try {
    const { id, path, replaced } = await corrections.save({
      candidate,
      scope: scope.data,
      confirmUnmatched: isSet(options.get("confirm-unmatched")),
      confirmReplace: isSet(options.get("confirm-replace")),
    });
    return said(
      `${replaced ? "Replaced" : "Saved"} the correction ${id} (${scope.data}), from the next request on: when the model has written ${JSON.stringify(candidate.trigger)}, it is told: ${candidate.instruction}\n${path}`,
    );
  } catch (error) {
    throw unconfirmed(error, candidate);
  }
}

async function candidateFor(
  text: string,
  options: Complaint["options"],
  corrections: Corrections,
): Promise<CorrectionCandidate> {
  const given = {
    id: options.get("id"),
    instruction: options.get("instruction"),
    trigger: options.get("trigger"),
  };
  const { id, instruction, trigger } = given;
  if (id !== undefined && instruction !== undefined && trigger !== undefined)
    return { id, instruction, trigger };
  const { candidate } = await corrections.propose(text);
  return {
    id: id ?? candidate.id,
    instruction: instruction ?? candidate.instruction,
    trigger: trigger ?? candidate.trigger,
  };
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && !["nil", "no", "off", "false", "0"].includes(value.toLowerCase());
}

/** A refusal that a confirmation lifts says which, and what would be saved then: a model asked again would propose something else. */
function unconfirmed(error: unknown, { id, instruction, trigger }: CorrectionCandidate): unknown {
  const { code, message } = failureOf(error);
  const flag =
    code === "correction-unmatched"
      ? "confirm-unmatched"
      : code === "correction-exists"
        ? "confirm-replace"
        : undefined;
  if (flag === undefined) return error;
  const words = `:id ${JSON.stringify(id)} :instruction ${JSON.stringify(instruction)} :trigger ${JSON.stringify(trigger)}`;
  return new AutolithError(code, `${message} To confirm, give :${flag} t with ${words}.`, { cause: error });
}
