/** Styles as escape codes of a terminal. */
import type { Ink, Line, Style } from "./styled-line.ts";

export type Palette = {
  /** False for NO_COLOR and `TERM=dumb`: marks and words alone carry the meaning. */
  readonly hasColour: boolean;
  readonly hasLinks: boolean;
};

/** The basic sixteen colours: those that people set to be readable on their own background. */
const inkCodes: Readonly<Record<Ink, string>> = {
  accent: "36",
  user: "35",
  good: "32",
  bad: "31",
  warn: "33",
  code: "36",
  keyword: "34",
  string: "32",
  comment: "90",
  number: "33",
  muted: "90",
};

/** The palette that an environment asks for. */
export function paletteOf(environment: Readonly<Record<string, string | undefined>>): Palette {
  const isPlain = (environment["NO_COLOR"] ?? "") !== "" || environment["TERM"] === "dumb";
  return { hasColour: !isPlain, hasLinks: !isPlain };
}

/** A line as the terminal takes it; every style is ended within the line. */
export function ansiLine(line: Line, palette: Palette): string {
  if (!palette.hasColour) return line.map(({ text }) => text).join("");
  return line.map(({ text, style }) => linked(painted(text, style), style, palette)).join("");
}

function painted(text: string, style: Style): string {
  const codes = [
    style.bold === true ? "1" : "",
    style.dim === true ? "2" : "",
    style.italic === true ? "3" : "",
    style.underline === true ? "4" : "",
    style.inverse === true ? "7" : "",
    style.strike === true ? "9" : "",
    style.ink === undefined ? "" : inkCodes[style.ink],
  ].filter((code) => code !== "");
  return codes.length === 0 || text === "" ? text : `\u001B[${codes.join(";")}m${text}\u001B[0m`;
}

function linked(text: string, { link }: Style, { hasLinks }: Palette): string {
  if (link === undefined || !hasLinks || !/^https?:\/\/[\u0021-\u007E]{1,2000}$/.test(link)) return text;
  return `\u001B]8;;${link}\u001B\\${text}\u001B]8;;\u001B\\`;
}
