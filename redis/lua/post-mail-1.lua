--[[
  Puts a letter into the mailbox of a session and wakes whoever attends it.

  KEYS[1]  mailbox: stream of entries with one field, letter

  ARGV[1]  letter, as JSON
  ARGV[2]  most letters that may wait
  ARGV[3]  time in milliseconds after which a mailbox that nobody attends is dropped, from now on
  ARGV[4]  channel on which its attendant is woken

  Returns 1 when the letter is in, 0 when too many wait.
]]
if redis.call("XLEN", KEYS[1]) >= tonumber(ARGV[2]) then
  return 0
end
redis.call("XADD", KEYS[1], "*", "letter", ARGV[1])
redis.call("PEXPIRE", KEYS[1], ARGV[3])
redis.call("PUBLISH", ARGV[4], "")
return 1
