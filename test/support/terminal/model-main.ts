/** The scripted model as a process, for tries of the terminal by hand. It prints its base URL. */
import { startModelServer } from "../model-server/server.ts";
import { scriptedReply } from "./scripted-model.ts";

const server = await startModelServer(scriptedReply);
process.stdout.write(`${server.baseUrl}\n`);
