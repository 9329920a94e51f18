--[[
  Takes a lease when nobody holds it, and a new fencing number with it. A holder that asks again keeps its number.

  A number is greater than every earlier one and not below the server's clock in milliseconds: a server that is killed
  on a slow disk may forget the last numbers it gave, and they must not be given again.

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
  fence = redis.call("HGET", KEYS[1], "fence")
else
  local time = redis.call("TIME")
  local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
  local last = tonumber(redis.call("GET", KEYS[2]) or 0)
  fence = string.format("%.0f", math.max(last + 1, now))
  redis.call("SET", KEYS[2], fence)
  redis.call("HSET", KEYS[1], "holder", ARGV[1], "fence", fence)
end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return { 1, tonumber(fence) }
