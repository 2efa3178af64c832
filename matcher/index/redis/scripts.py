"""Lua scripts that Redis runs as atomic steps.

A range is 13 bytes: start (5), size (4), postings (4), little endian. A bucket is a string of 8-byte records.
"""

# Every script returns GONE and does nothing if the generation or the shard is lost.
GONE = -2
TEXT_IS_THERE = -1
NOT_JOURNALLED = -3
SUPERSEDED = -4

# A script may be run twice (RedisLink.ask): the second run changes nothing, and returns a value with which its caller
# can continue.

_BURY = """
local function bury(meta, dead, range)
  redis.call('RPUSH', dead, range)
  redis.call('HINCRBY', meta, 'dead', 1)
  redis.call('HINCRBY', meta, 'dead_postings', (struct.unpack('<I4', range, 10)))
end
"""

# KEYS: texts, pending, meta, dead; ARGV: text id, size, postings. Returns the start of the range under which a text is
# to be added: the range of an interrupted attempt, or a new one.
RESERVE = (
    _BURY
    + """
if redis.call('HEXISTS', KEYS[3], 'bucket_bits') == 0 then return -2 end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return -1 end
local pending = redis.call('HGET', KEYS[2], ARGV[1])
if pending then
  local start, size, postings = struct.unpack('<I5I4I4', pending)
  if size == tonumber(ARGV[2]) and postings == tonumber(ARGV[3]) then return start end
  bury(KEYS[3], KEYS[4], pending)
end
local start = redis.call('HINCRBY', KEYS[3], 'end', ARGV[2]) - tonumber(ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], struct.pack('<I5I4I4', start, tonumber(ARGV[2]), tonumber(ARGV[3])))
return start
"""
)

# KEYS: open, buckets; ARGV: the records for each bucket. A text adds all its records of a bucket at once: if the first
# is present, all are. SET instead of APPEND: Redis doubles the memory of a string that grows.
PUT_POSTINGS = """
if redis.call('EXISTS', KEYS[1]) == 0 then return -2 end
for i = 2, #KEYS do
  local held, given = redis.call('GET', KEYS[i]), ARGV[i - 1]
  if held then
    local first, at = string.sub(given, 1, 8), 1
    repeat
      at = string.find(held, first, at, true)
      if at and at % 8 ~= 1 then at = at + 1 elseif at then break end
    until not at
    if not at then redis.call('SET', KEYS[i], held .. given) end
  else
    redis.call('SET', KEYS[i], given)
  end
end
return #KEYS - 1
"""

# KEYS: texts, pending, meta, dead, log, revision, filling, journal; ARGV: text id, range, whether the revision counts
# it, the text's journal entry or nothing. The text can be found only from now on.
PUBLISH = (
    _BURY
    + """
if redis.call('HEXISTS', KEYS[3], 'bucket_bits') == 0 then return -2 end
local there = redis.call('HGET', KEYS[1], ARGV[1])
if there == ARGV[2] then return 1 end  -- by the first run of this
if there then
  -- Withdrawn and added by someone else meanwhile: what was put since then is in buckets that were swept already.
  bury(KEYS[3], KEYS[4], ARGV[2])
  return -1
end
if redis.call('HGET', KEYS[2], ARGV[1]) ~= ARGV[2] then
  bury(KEYS[3], KEYS[4], ARGV[2])
  return -4
end
if ARGV[3] == '1' then
  if redis.call('EXISTS', KEYS[7]) == 1 then
    if ARGV[4] == '' then return -3 end
    redis.call('RPUSH', KEYS[8], ARGV[4])
  end
  redis.call('INCR', KEYS[6])
end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('RPUSH', KEYS[5], ARGV[2] .. ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'logged', 1)
redis.call('HINCRBY', KEYS[3], 'postings', (struct.unpack('<I4', ARGV[2], 10)))
return 1
"""
)

# KEYS: texts, pending, meta, dead, revision, filling, journal; ARGV: text id, whether the revision counts it, the
# journal entry. From now on the text is absent; its postings are freed in the next pass over the buckets.
WITHDRAW = (
    _BURY
    + """
if redis.call('HEXISTS', KEYS[3], 'bucket_bits') == 0 then return -2 end
if ARGV[2] == '1' and redis.call('EXISTS', KEYS[6]) == 1 then redis.call('RPUSH', KEYS[7], ARGV[3]) end
local pending = redis.call('HGET', KEYS[2], ARGV[1])
if pending then
  bury(KEYS[3], KEYS[4], pending)
  redis.call('HDEL', KEYS[2], ARGV[1])
end
local range = redis.call('HGET', KEYS[1], ARGV[1])
if not range then return 0 end
bury(KEYS[3], KEYS[4], range)
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HINCRBY', KEYS[3], 'postings', 0 - struct.unpack('<I4', range, 10))
if ARGV[2] == '1' then redis.call('INCR', KEYS[5]) end
return 1
"""
)

# KEYS: open, buckets; ARGV: for each bucket the string that was read and its replacement; nothing removes the bucket.
# Returns the numbers, from 1, of the buckets that have changed since.
REPLACE = """
if redis.call('EXISTS', KEYS[1]) == 0 then return {} end
local changed = {}
for i = 2, #KEYS do
  local new = ARGV[2 * i - 2]
  if redis.call('GET', KEYS[i]) ~= ARGV[2 * i - 3] then
    changed[#changed + 1] = i - 1
  elseif new == '' then
    redis.call('DEL', KEYS[i])
  else
    redis.call('SET', KEYS[i], new)
  end
end
return changed
"""

# KEYS: meta; ARGV: the beginning and end of the pass in the list of the dead, and their postings. Of two passes with
# the same beginning only the first to end counts: otherwise the other's dead would be subtracted twice, and later ones
# never.
END_SWEEP = """
if redis.call('HEXISTS', KEYS[1], 'bucket_bits') == 0 then return -2 end
if tonumber(redis.call('HGET', KEYS[1], 'freed') or 0) ~= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'freed', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'dead_postings', 0 - ARGV[3])
return 1
"""

# KEYS: building, counter, filling, journal, retired; ARGV: seconds that `filling` lives. Begins a rebuild; the remains
# of an earlier one are to be deleted.
BEGIN = """
local abandoned = redis.call('GET', KEYS[1])
if abandoned then redis.call('SADD', KEYS[5], abandoned .. ':0') end
redis.call('DEL', KEYS[4])
local number = redis.call('INCR', KEYS[2])
redis.call('SET', KEYS[1], number)
redis.call('SET', KEYS[3], number, 'EX', ARGV[1])
return number
"""

# KEYS: building, filling, journal, retired. Discards a rebuild whose process is gone.
ABANDON = """
local abandoned = redis.call('GET', KEYS[1])
if not abandoned or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('SADD', KEYS[4], abandoned .. ':0')
redis.call('DEL', KEYS[1], KEYS[3])
return 1
"""

# KEYS: texts, log; ARGV: the number of texts in the log, then the id and range of each further text. For a generation
# that is being filled.
APPEND = """
if redis.call('LLEN', KEYS[2]) ~= tonumber(ARGV[1]) then return 0 end
for i = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
  redis.call('RPUSH', KEYS[2], ARGV[i + 1] .. ARGV[i])
end
return 1
"""

# KEYS: generation, filling, revision, journal, retired, building, meta of the old generation, origin; ARGV: the new
# generation, the increment of the revision, its minimum, the number of journal entries applied, the retired generation
# or nothing, the new origin. Returns 0 if another rebuild began or this one has expired, -3 if the journal has grown.
SWITCH = """
if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  -- Its own second run: the generation is in use, and must not be taken for one that came too late.
  if redis.call('GET', KEYS[1]) == ARGV[1] and redis.call('GET', KEYS[8]) == ARGV[6] then return 1 end
  return 0
end
if redis.call('LLEN', KEYS[4]) ~= tonumber(ARGV[4]) then return -3 end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('SET', KEYS[8], ARGV[6])
local revision = math.max(tonumber(redis.call('GET', KEYS[3]) or 0), tonumber(ARGV[3])) + tonumber(ARGV[2])
redis.call('SET', KEYS[3], string.format('%d', revision))
redis.call('DEL', KEYS[2], KEYS[4], KEYS[6])
if ARGV[5] ~= '' then
  redis.call('SADD', KEYS[5], ARGV[5])
  redis.call('DEL', KEYS[7])
end
return 1
"""
