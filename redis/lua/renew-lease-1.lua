--[[
  Extends a lease that the asking one still holds under the same fencing number.

  KEYS[1]  lease: hash with fields holder and fence

  ARGV[1]  holder
  ARGV[2]  fence
  ARGV[3]  period in milliseconds, from now on

  Returns 1 when it is extended, 0 when it lapsed or somebody else holds it.
]]
local held = redis.call("HMGET", KEYS[1], "holder", "fence")
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
  return 0
end
redis.call("PEXPIRE", KEYS[1], ARGV[3])
return 1
