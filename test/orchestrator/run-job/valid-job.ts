/** A job file that is valid, with one key or value on a line, as the manual shows it. */
export const validJob = `; a job
(:autolith-job
 :version 1
 :id "job-identifier"
 :role "project-role"
 :prompt "Perform the assigned work."
 :input (:caller-owned "opaque data" 0.1 -3 (nil t))
 :output-contract (:type :object
                   :properties (("answer" (:type :string)))
                   :required ("answer")
                   :additional-properties nil)
 :timeout-seconds 900)
`;

/** The valid job with the value of one key replaced, or the key dropped (`undefined`). */
export function jobWith(key: string, value: string | undefined): string {
  const pattern = new RegExp(
    ` :${key} (?:"[^"]*"|\\d+|\\((?:[^()]|\\((?:[^()]|\\((?:[^()]|\\([^()]*\\))*\\))*\\))*\\))`,
  );
  const text = validJob.replace(
    pattern,
    value === undefined ? "" : ` :${key} ${value.replaceAll("$", "$$$$")}`,
  );
  if (text === validJob) throw new Error(`the valid job has no key :${key}`);
  return text;
}
