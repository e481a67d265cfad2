-- Raises the version of a tenant, never lowers it, and answers the one that is there then.
-- What is no version is overwritten: it is a hint to look, so a wrong one only has to go away.
local seen = redis.pcall('GET', KEYS[1])
if type(seen) == 'string' and #seen <= 12 and string.match(seen, '^[1-9][0-9]*$') and tonumber(seen) >= tonumber(ARGV[1]) then
  return seen
end
redis.call('SET', KEYS[1], ARGV[1])
return ARGV[1]
