--[[
  Gives a lease back when the asking one still holds it under the same fencing number.

  KEYS[1]  lease: hash with fields holder and fence

  ARGV[1]  holder
  ARGV[2]  fence

  Returns 1 when it is given back, 0 when it lapsed or somebody else holds it, who keeps it.
]]
local held = redis.call("HMGET", KEYS[1], "holder", "fence")
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
  return 0
end
redis.call("DEL", KEYS[1])
return 1
