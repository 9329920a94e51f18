/** The floor: the least a Node program must do for the same job. Streams Responses, reads the files it is told to, ends at yield. */
import { readFileSync } from "node:fs";

const input = [{ role: "user", content: "p" }];
for (;;) {
  const response = await fetch(`${process.env.AUTOLITH_OPENAI_BASE_URL}/responses`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "m", stream: true, input }),
  });
  let text = "";
  for await (const chunk of response.body) text += Buffer.from(chunk).toString("utf8");
  const items = text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)))
    .filter((event) => event.type === "response.output_item.done")
    .map((event) => event.item);
  const calls = items.filter((item) => item.type === "function_call");
  if (calls.length === 0 || calls.some((call) => call.name === "yield__submit")) break;
  input.push(...items);
  for (const call of calls) {
    const path = JSON.parse(call.arguments).uri.replace("workspace:", "");
    input.push({ type: "function_call_output", call_id: call.call_id, output: readFileSync(path, "utf8") });
  }
}
