--[[
  Takes a lease when nobody holds it, and a new fencing number with it. A holder that asks again keeps its number.

  KEYS[1]  lease: hash with fields holder and fence, expiring with the lease
  KEYS[2]  fence: integer, the greatest number given for this lease

  ARGV[1]  holder: unguessable name of the one who asks
  ARGV[2]  period in milliseconds

  Returns { 1, fence } when it is taken, { 0, remaining milliseconds } when somebody else holds it.
]]
local holder = redis.call("HGET", KEYS[1], "holder")
if holder and holder ~= ARGV[1] then
  return { 0, redis.call("PTTL", KEYS[1]) }
end
local fence
if holder then
  fence = tonumber(redis.call("HGET", KEYS[1], "fence"))
else
  fence = redis.call("INCR", KEYS[2])
  redis.call("HSET", KEYS[1], "holder", ARGV[1], "fence", fence)
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return { 1, fence }
