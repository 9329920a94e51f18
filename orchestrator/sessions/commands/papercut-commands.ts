/** Commands about papercuts of the working directory. */
import { AutolithError } from "../../contract/failure.ts";
import { papercutContentLimit } from "../../papercuts/papercut.ts";
import { papercutListing, papercutText } from "../../papercuts/papercut-access.ts";
import type { Command } from "./command.ts";
import { said } from "./command.ts";

export const papercutCommands: readonly Command[] = [
  {
    name: "papercuts",
    busy: "inspect",
    topic: "papercuts",
    summary: "Lists the active papercuts of this directory.",
    arguments: "",
    maxWords: 0,
    run: async (_, { core }) =>
      said(papercutListing(await core.environment.papercuts.active(core.workingDirectory))),
  },
  {
    name: "papercut",
    busy: "inspect",
    topic: "papercuts",
    summary: "Shows one papercut.",
    arguments: "ID",
    lambdaList: "id",
    maxWords: 1,
    run: async (input, { core }) =>
      said(papercutText(await core.environment.papercuts.find(core.workingDirectory, unquoted(input)))),
  },
  {
    name: "papercut-close",
    busy: "apply",
    topic: "papercuts",
    summary: "Closes a papercut, saying how it was resolved.",
    arguments: "ID RESOLUTION",
    lambdaList: "id resolution",
    run: async (input, { core }) => {
      const [id = "", ...words] = input.split(/\s+/);
      if (words.length === 0)
        throw new AutolithError("invalid-argument", "papercut-close needs an id and a resolution.");
      const resolution = words.join(" ");
      if (resolution.length > papercutContentLimit)
        throw new AutolithError(
          "invalid-argument",
          `A resolution has at most ${papercutContentLimit} characters, not ${resolution.length}.`,
        );
      const { papercuts } = core.environment;
      const closed = await papercuts.close(core.workingDirectory, unquoted(id), resolution);
      core.emit({ kind: "catalog", catalog: "papercuts" });
      return said(`Papercut ${closed.id} is closed.`);
    },
  },
];

function unquoted(text: string): string {
  return text.replace(/^"(.*)"$/, "$1");
}
