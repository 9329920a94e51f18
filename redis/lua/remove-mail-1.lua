--[[
  Removes a letter that was taken, and the mailbox with its last one.

  KEYS[1]  mailbox: stream of letters

  ARGV[1]  id of the entry

  Returns how many letters wait.
]]
redis.call("XDEL", KEYS[1], ARGV[1])
local waiting = redis.call("XLEN", KEYS[1])
if waiting == 0 then
  redis.call("DEL", KEYS[1])
end
return waiting
