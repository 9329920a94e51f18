/** A conversation's id as people see it: a hyphen behind the first of its seven characters. Children's ids stay as they are. */
export function conversationName(id: string): string {
  return id.length === 7 ? `${id.slice(0, 1)}-${id.slice(1)}` : id;
}
