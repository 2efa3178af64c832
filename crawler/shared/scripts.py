"""What happens to a shared frontier in one step: scripts that Redis runs without anything in between.

KEYS of all but the two of the pace: state, seen, passed, targets, waiting, leases, workers, parked. `state` is a hash
(plan, run, seq, done_pages, leased_pages, complete), `workers` a sorted set of processes by the time (ms) until which
they are taken for alive; a lease belongs to a process, so one heartbeat keeps all that it has in hand.
"""

# Redis 6.2: a script may ask for the time, what it writes is replicated by its effects.
_HEAD = """
local state, seen, passed, targets, waiting, leases, workers, parked = unpack(KEYS)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function count(name) return tonumber(redis.call('HGET', state, name) or '0') end
local function kind_of(raw) return cjson.decode(raw)[3] end
local function back(key, into)
  local raw = redis.call('HGET', targets, key)
  if redis.call('HDEL', leases, key) == 1 and raw then
    if kind_of(raw) == 'page' then redis.call('HINCRBY', state, 'leased_pages', -1) end
    redis.call('ZADD', into, cjson.decode(raw)[4], key)
  end
end
local function reap()
  if redis.call('ZCOUNT', workers, '-inf', now) == 0 then return end
  local held = redis.call('HGETALL', leases)
  for i = 1, #held, 2 do
    local until_ms = redis.call('ZSCORE', workers, held[i + 1])
    if not until_ms or tonumber(until_ms) <= now then back(held[i], waiting) end
  end
  redis.call('ZREMRANGEBYSCORE', workers, '-inf', now)
end
local function beat(worker, lease_ms) redis.call('ZADD', workers, now + lease_ms, worker) end
"""

# ARGV: plan, run, worker, lease_ms. One of fresh, resumed, joined, complete, busy or other.
JOIN = (
    _HEAD
    + """
local plan, run, worker, lease_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('HGET', state, 'complete') == run and run ~= '' then return 'complete' end
reap()
local known = redis.call('HGET', state, 'plan')
local others = redis.call('ZCARD', workers)
if known and known ~= plan and others > 0 then return 'busy' end
local answer = 'joined'
if not known or known ~= plan then
  redis.call('DEL', state, seen, passed, targets, waiting, leases, workers, parked)
  answer = known and 'other' or 'fresh'
elseif others == 0 then
  answer = 'resumed'
  for _, key in ipairs(redis.call('HKEYS', leases)) do back(key, waiting) end
  for _, key in ipairs(redis.call('ZRANGE', parked, 0, -1)) do
    redis.call('ZADD', waiting, redis.call('ZSCORE', parked, key), key)
  end
  redis.call('DEL', parked)
end
redis.call('HSET', state, 'plan', plan, 'run', run)
beat(worker, lease_ms)
return answer
"""
)

# ARGV: plan, then of each address its key, url, depth, kind, rank. A string of 1 (new) and 0 (known), or "gone".
ADD = (
    _HEAD
    + """
if redis.call('HGET', state, 'plan') ~= ARGV[1] then return 'gone' end
local answer = {}
for i = 2, #ARGV, 5 do
  local key = ARGV[i]
  local is_new = redis.call('HEXISTS', passed, key) == 0 and redis.call('SADD', seen, key) == 1
  if is_new then
    local score = tonumber(ARGV[i + 4]) * 1e10 + redis.call('HINCRBY', state, 'seq', 1)
    redis.call('HSET', targets, key, cjson.encode({ARGV[i + 1], tonumber(ARGV[i + 2]), ARGV[i + 3], score}))
    redis.call('ZADD', waiting, score, key)
  end
  answer[#answer + 1] = is_new and '1' or '0'
end
return table.concat(answer)
"""
)

# ARGV: plan, worker, lease_ms, max_pages. {"target", json}, {"wait"}, {"full"}, {"empty"}, {"complete"} or {"gone"}.
TAKE = (
    _HEAD
    + """
local plan, worker, lease_ms, max_pages = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if redis.call('HGET', state, 'plan') ~= plan then
  return {redis.call('HGET', state, 'complete') and 'complete' or 'gone'}
end
beat(worker, lease_ms)
reap()
local first = redis.call('ZRANGE', waiting, 0, 0)[1]
local is_busy = redis.call('HLEN', leases) > 0
if not first then return {is_busy and 'wait' or 'empty'} end
local raw = redis.call('HGET', targets, first)
local is_page = kind_of(raw) == 'page'
if is_page and count('done_pages') + count('leased_pages') >= max_pages then
  return {is_busy and 'wait' or 'full'}
end
redis.call('ZREM', waiting, first)
redis.call('HSET', leases, first, worker)
if is_page then redis.call('HINCRBY', state, 'leased_pages', 1) end
return {'target', raw}
"""
)

# ARGV: key. Never again in this crawl, whoever has it in hand.
FINISH = (
    _HEAD
    + """
local key = ARGV[1]
if redis.call('HEXISTS', state, 'plan') == 0 then return 0 end
redis.call('SADD', seen, key)
local raw = redis.call('HGET', targets, key)
if raw then
  local is_page = kind_of(raw) == 'page'
  if redis.call('HDEL', leases, key) == 1 and is_page then redis.call('HINCRBY', state, 'leased_pages', -1) end
  if is_page then redis.call('HINCRBY', state, 'done_pages', 1) end
end
redis.call('HDEL', targets, key)
redis.call('ZREM', waiting, key)
redis.call('ZREM', parked, key)
return 1
"""
)

# ARGV: key, origin. 1 where the redirects of `origin` may go on to `key`, now or once more after a kill.
PASS = (
    _HEAD
    + """
if redis.call('HEXISTS', state, 'plan') == 0 or redis.call('SISMEMBER', seen, ARGV[1]) == 1 then return 0 end
if redis.call('HSETNX', passed, ARGV[1], ARGV[2]) == 1 then return 1 end
return redis.call('HGET', passed, ARGV[1]) == ARGV[2] and 1 or 0
"""
)

# ARGV: worker, lease_ms, ttl_ms. Whether the process was still taken for alive.
BEAT = (
    _HEAD
    + """
local was_alive = redis.call('ZSCORE', workers, ARGV[1]) and 1 or 0
beat(ARGV[1], tonumber(ARGV[2]))
reap()
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ARGV[3]) end
return was_alive
"""
)

# ARGV: worker, then the keys that it had in hand and could not do. These wait for the next run; others of its leases,
# of which it never heard, wait for whoever comes first.
PARK = (
    _HEAD
    + """
for i = 2, #ARGV do
  if redis.call('HGET', leases, ARGV[i]) == ARGV[1] then back(ARGV[i], parked) end
end
local held = redis.call('HGETALL', leases)
for i = 1, #held, 2 do
  if held[i + 1] == ARGV[1] then back(held[i], waiting) end
end
return 1
"""
)

# ARGV: worker, plan, run, is_complete, ttl_ms. What it had in hand waits again; the last one clears a complete crawl.
LEAVE = (
    _HEAD
    + """
if redis.call('HGET', state, 'plan') ~= ARGV[2] then return 0 end
local held = redis.call('HGETALL', leases)
for i = 1, #held, 2 do
  if held[i + 1] == ARGV[1] then back(held[i], waiting) end
end
redis.call('ZREM', workers, ARGV[1])
if ARGV[4] == '1' and redis.call('HLEN', leases) == 0 then
  redis.call('DEL', state, seen, passed, targets, waiting, leases, workers, parked)
  redis.call('HSET', state, 'complete', ARGV[3])
  redis.call('PEXPIRE', state, ARGV[5])
end
return 1
"""
)

# KEYS: next request (ms), requests in flight. ARGV: id, delay_ms, concurrency, timeout_ms. Milliseconds to wait before
# the request may go; -1: as many as may are in flight, ask again.
RESERVE = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local delay, limit, timeout = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if redis.call('ZCARD', KEYS[2]) >= limit then return -1 end
local slot = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
redis.call('SET', KEYS[1], slot + delay, 'PX', slot - now + delay + 60000)
redis.call('ZADD', KEYS[2], slot + timeout, ARGV[1])
redis.call('PEXPIRE', KEYS[2], slot - now + timeout)
return slot - now
"""
