"""What Redis does in one step, without anyone in between. Buckets are strings of 12-byte records (matcher.postings)."""

# KEYS: buckets; ARGV[1]: ordinal (4 bytes), then the records of each bucket. Records of this ordinal that a call cut
# short left behind are replaced, so that adding twice leaves one copy.
PUT_POSTINGS = """
local ordinal = ARGV[1]
for i, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if held and string.find(held, ordinal, 1, true) then
    local kept = {}
    for at = 1, #held, 12 do
      if string.sub(held, at + 4, at + 7) ~= ordinal then kept[#kept + 1] = string.sub(held, at, at + 11) end
    end
    kept[#kept + 1] = ARGV[i + 1]
    redis.call('SET', key, table.concat(kept))
  else
    redis.call('APPEND', key, ARGV[i + 1])
  end
end
return #KEYS
"""

# KEYS: buckets; ARGV[1]: ordinal.
DROP_POSTINGS = """
local ordinal = ARGV[1]
for _, key in ipairs(KEYS) do
  local held = redis.call('GET', key)
  if held and string.find(held, ordinal, 1, true) then
    local kept = {}
    for at = 1, #held, 12 do
      if string.sub(held, at + 4, at + 7) ~= ordinal then kept[#kept + 1] = string.sub(held, at, at + 11) end
    end
    if #kept == 0 then redis.call('DEL', key) else redis.call('SET', key, table.concat(kept)) end
  end
end
return #KEYS
"""

# KEYS: texts, pending, meta; ARGV: text id. The ordinal under which a text is to be added: that of an attempt that
# was cut short, else a new one; 0 when the text is there.
RESERVE = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return 0 end
local pending = redis.call('HGET', KEYS[2], ARGV[1])
if pending then return tonumber(pending) end
local ordinal = redis.call('HINCRBY', KEYS[3], 'ordinal', 1)
redis.call('HSET', KEYS[2], ARGV[1], ordinal)
return ordinal
"""

# KEYS: texts, pending, meta, names, counts, revision; ARGV: text id, ordinal, postings, whether the revision counts it.
# Only now is the text there.
PUBLISH = """
if redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[4], ARGV[2], ARGV[1])
redis.call('HSET', KEYS[5], ARGV[2], ARGV[3])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'postings', ARGV[3])
if ARGV[4] == '1' then redis.call('INCR', KEYS[6]) end
return 1
"""

# KEYS: texts, removing, meta, names, counts, revision; ARGV: text id, whether the revision counts it. From now on the
# text is not there; its postings go later, and until then have no name.
WITHDRAW = """
local ordinal = redis.call('HGET', KEYS[1], ARGV[1])
if not ordinal then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[4], ordinal)
redis.call('HINCRBY', KEYS[3], 'postings', 0 - tonumber(redis.call('HGET', KEYS[5], ordinal) or 0))
redis.call('HDEL', KEYS[5], ordinal)
redis.call('SADD', KEYS[2], ordinal)
if ARGV[2] == '1' then redis.call('INCR', KEYS[6]) end
return tonumber(ordinal)
"""

# KEYS: generation, building, revision; ARGV: the generation, the step of the revision, its least value. Nothing
# happens when another rebuild began.
SWITCH = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
local revision = math.max(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[3])) + tonumber(ARGV[2])
redis.call('SET', KEYS[3], string.format('%d', revision))
redis.call('DEL', KEYS[2])
return 1
"""
