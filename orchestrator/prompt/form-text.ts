/** The end of a form as plain text: what every front end without its own way to show it prints. Pure. */
import type { FormResult, FormValue } from "../contract/session/forms.ts";

/** Marks a returned value. */
export const valueMark = "\u21D2";
/** Columns that the mark takes. */
export const markColumns = 2;

/** Output apart from the values, each value behind its mark, or how it ended. */
export function formResultText(result: Omit<FormResult, "durationMs">): string {
  const output = result.output.trimEnd();
  const more =
    result.omittedOutput === 0 ? "" : `\n\u2026 (${result.omittedOutput} more characters of output)`;
  return [...(output === "" && more === "" ? [] : [output + more]), endText(result)].join("\n");
}

/** A value as it is shown: what is left out of it is said behind it. */
export function valueText({ text, cut, omitted }: Pick<FormValue, "text" | "cut" | "omitted">): string {
  if (!cut) return text;
  return omitted === undefined ? `${text} \u2026` : `${text} \u2026 (${omitted})`;
}

/** Says how many values are not shown. */
export function moreValuesText(count: number): string {
  return `; ${count} more value${count === 1 ? "" : "s"}`;
}

function endText({
  status,
  values,
  omittedValues,
  condition,
  reason,
}: Omit<FormResult, "durationMs">): string {
  switch (status) {
    case "values": {
      if (values.length === 0) return "; no values";
      const lines = values.map(({ report, ...value }) => {
        const whole = valueText(value);
        if (report && whole.includes("\n")) return `${valueMark}\n${whole}`;
        return `${valueMark} ${whole.replaceAll("\n", "\n  ")}`;
      });
      return [...lines, ...(omittedValues === 0 ? [] : [moreValuesText(omittedValues)])].join("\n");
    }
    case "condition":
      if (condition === undefined) return `; failed: ${reason ?? "unknown"}`;
      return [
        `; ${condition.type}: ${condition.text}`,
        ...condition.details.map(({ name, value }) => `;   ${name}: ${value}`),
      ].join("\n");
    case "cancelled":
      return "; cancelled";
    case "lost":
      return `; lost: ${reason ?? "the host ended"}`;
    case "never-begun":
      return `; never begun: ${reason ?? "the host ended"}. It did nothing; submit it again to run it.`;
    case "quit":
      return "; left the image";
  }
}
