/** Results of commands as people read them: what they printed. Counts, references and reports are for the model. */

const streamHeader = /^(output|stdout|stderr): (?:empty|\d+ bytes(?: shell-log:\S+)?)$/;

/** What is worth seeing of a call's text. */
export function shellOutput(text: string): string {
  return handedOff(text) ?? printed(text);
}

/** Of a call that goes on as a job: its first sentence. */
function handedOff(text: string): string | undefined {
  const report = text.search(/\n\(:tool-execution /i);
  if (report < 0 || !/:handed-off-p t\b/i.test(text.slice(report, report + 200))) return undefined;
  return /^.*?\.(?= |$)/.exec(text)?.[0] ?? text.slice(0, report);
}

/** The exit of a failed command, remarks, and the streams; of two streams with their names. */
function printed(text: string): string {
  const lines = text.split("\n");
  if (!lines[0]?.startsWith("exit ")) return text;
  const seen = new Set<string>();
  return lines
    .slice(lines[0] === "exit 0" ? 1 : 0)
    .flatMap((line) => {
      const label = streamHeader.exec(line)?.[1];
      // What a command prints may look like a header; each comes once, and in front.
      if (label === undefined || seen.has(label) || (label !== "stderr" && seen.size > 0)) return [line];
      seen.add(label);
      return label === "output" || line.endsWith(": empty") ? [] : [`${label}:`];
    })
    .join("\n");
}
