"""What happens to a shared frontier in one step: scripts that Redis runs without anything in between.

KEYS of all but those of the pace and the budget: state, seen, passed, targets, waiting, leases, workers, parked.
`state` is a hash (plan, epoch, run, seq, done_pages, leased_pages, leading, hold_until, complete), `workers` a sorted
set of processes by the time (ms) until which they are taken for alive; a lease belongs to a process, so one heartbeat
keeps all that it has in hand. A target is [url, depth, kind, score, tied]; one that is tied is part of what its process
holds, and is forgotten where that process lets go of it. The epoch is drawn when a crawl begins: whoever names another
one belongs to a crawl that Redis has lost.
"""

from crawler.visits.visiting import CASE_PRIORITY, NEW_PRIORITY

# What a spider's priorities become in the order of what waits: the highest first, then as found.
PRIORITY_BASE, PRIORITY_STEP = 1_000, 1e9

# Redis 6.2: a script may ask for the time, what it writes is replicated by its effects.
_HEAD = (
    """
local state, seen, passed, targets, waiting, leases, workers, parked = unpack(KEYS)
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local function count(name) return tonumber(redis.call('HGET', state, name) or '0') end
local function is_of(epoch) return redis.call('HGET', state, 'epoch') == epoch end
local function priority_of(target) return BASE - math.floor(target[4] / STEP) end
local function note_lease(target, change)
  if target[3] == 'page' then redis.call('HINCRBY', state, 'leased_pages', change) end
  if priority_of(target) > LEADING then redis.call('HINCRBY', state, 'leading', change) end
end
local function lease(key, worker, target)
  redis.call('HSET', leases, key, worker)
  note_lease(target, 1)
end
local function back(key, into)
  local raw = redis.call('HGET', targets, key)
  if redis.call('HDEL', leases, key) == 1 and raw then
    local target = cjson.decode(raw)
    note_lease(target, -1)
    if target[5] == 1 then
      redis.call('SREM', seen, key)
      redis.call('HDEL', targets, key)
    else
      redis.call('ZADD', into, target[4], key)
    end
  end
end
local function let_go(worker)
  local held = redis.call('HGETALL', leases)
  for i = 1, #held, 2 do
    if held[i + 1] == worker then back(held[i], waiting) end
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
local function keep(key, url, depth, kind, priority, tied)
  local score = (BASE - tonumber(priority)) * STEP + redis.call('HINCRBY', state, 'seq', 1)
  local target = {url, tonumber(depth), kind, score, tied}
  redis.call('HSET', targets, key, cjson.encode(target))
  return target
end
""".replace("BASE", str(PRIORITY_BASE))
    .replace("STEP", f"{PRIORITY_STEP:.0f}")
    .replace("LEADING", str(NEW_PRIORITY))
)

# ARGV: plan, run, worker, lease_ms, epoch. {fresh, resumed, joined, complete, busy or other; the crawl's epoch}.
JOIN = (
    _HEAD
    + """
local plan, run, worker, lease_ms = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
if redis.call('HGET', state, 'complete') == run and run ~= '' then return {'complete', ''} end
reap()
local known = redis.call('HGET', state, 'plan')
local others = redis.call('ZCARD', workers)
if known and known ~= plan and others > 0 then return {'busy', ''} end
local answer = 'joined'
if not known or known ~= plan then
  redis.call('DEL', state, seen, passed, targets, waiting, leases, workers, parked)
  redis.call('HSET', state, 'epoch', ARGV[5])
  answer = known and 'other' or 'fresh'
elseif others == 0 then
  answer = 'resumed'
  for _, key in ipairs(redis.call('HKEYS', leases)) do back(key, waiting) end
  for _, key in ipairs(redis.call('ZRANGE', parked, 0, -1)) do
    redis.call('ZADD', waiting, redis.call('ZSCORE', parked, key), key)
  end
  redis.call('DEL', parked)
  redis.call('HDEL', state, 'hold_until')
end
redis.call('HSET', state, 'plan', plan, 'run', run)
beat(worker, lease_ms)
return {answer, redis.call('HGET', state, 'epoch')}
"""
)

# ARGV: epoch, worker, max_pages (0: nothing is tied), then of each address its key, url, depth, kind, priority. A
# string of 0 (known), 1 (new, waits), 2 (in hand of the worker, where it may be tied to what that holds); or "gone".
ADD = (
    _HEAD
    + """
if not is_of(ARGV[1]) then return 'gone' end
local worker, max_pages = ARGV[2], tonumber(ARGV[3])
local answer = {}
for i = 4, #ARGV, 5 do
  local key = ARGV[i]
  local may_tie = max_pages > 0 and count('done_pages') + count('leased_pages') < max_pages
  local flag = '0'
  if redis.call('HEXISTS', passed, key) == 0 and redis.call('SADD', seen, key) == 1 then
    local target = keep(key, ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], may_tie and 1 or 0)
    if may_tie then lease(key, worker, target) else redis.call('ZADD', waiting, target[4], key) end
    flag = may_tie and '2' or '1'
  elseif may_tie and redis.call('ZREM', waiting, key) == 1 then
    lease(key, worker, cjson.decode(redis.call('HGET', targets, key)))
    flag = '2'
  end
  answer[#answer + 1] = flag
end
return table.concat(answer)
"""
)

# ARGV: epoch, worker, key, url, depth, kind, priority. What was asked for as part of something else is an address of
# its own, and in hand of the worker. 0 where it is known as one already.
PROMOTE = (
    _HEAD
    + """
if not is_of(ARGV[1]) then return 0 end
if redis.call('SADD', seen, ARGV[3]) == 0 then return 0 end
lease(ARGV[3], ARGV[2], keep(ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], 0))
return 1
"""
)

# ARGV: keys. A string of 1 (known as an address of its own) and 0.
KNOWN = (
    _HEAD
    + """
local answer = {}
for i = 1, #ARGV do answer[i] = redis.call('SISMEMBER', seen, ARGV[i]) end
return table.concat(answer)
"""
)

# ARGV: epoch, keys. A string of 1 (still to be done) and 0; "gone".
OPEN = (
    _HEAD
    + """
if not is_of(ARGV[1]) then return 'gone' end
local answer = {}
for i = 2, #ARGV do answer[i - 1] = redis.call('HEXISTS', targets, ARGV[i]) end
return table.concat(answer)
"""
)

# ARGV: epoch, worker, lease_ms, max_pages. {"target", json, seq}, {"wait"}, {"full"}, {"empty"}, {"complete"} or
# {"gone"}. Known texts wait for lists that are being read: these may name new pages, which go first.
TAKE = (
    _HEAD
    + """
local worker, lease_ms, max_pages = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
if not is_of(ARGV[1]) then
  return {redis.call('HGET', state, 'complete') and 'complete' or 'gone'}
end
beat(worker, lease_ms)
reap()
if count('hold_until') > now then return {'wait'} end
local first = redis.call('ZRANGE', waiting, 0, 0)[1]
local is_busy = redis.call('HLEN', leases) > 0
if not first then return {is_busy and 'wait' or 'empty'} end
local raw = redis.call('HGET', targets, first)
if not raw then return {'gone'} end
local target = cjson.decode(raw)
if target[3] == 'page' and count('done_pages') + count('leased_pages') >= max_pages then
  return {is_busy and 'wait' or 'full'}
end
if priority_of(target) <= LATER and count('leading') > 0 then return {'wait'} end
redis.call('ZREM', waiting, first)
lease(first, worker, target)
return {'target', raw, count('seq')}
""".replace("LATER", str(CASE_PRIORITY))
)

# ARGV: epoch, key, is_counted. Never again in this crawl, whoever has it in hand.
FINISH = (
    _HEAD
    + """
local key = ARGV[2]
if not is_of(ARGV[1]) then return 0 end
redis.call('SADD', seen, key)
local raw = redis.call('HGET', targets, key)
if raw then
  local target = cjson.decode(raw)
  if redis.call('HDEL', leases, key) == 1 then note_lease(target, -1) end
  if target[3] == 'page' and ARGV[3] == '1' then redis.call('HINCRBY', state, 'done_pages', 1) end
end
redis.call('HDEL', targets, key)
redis.call('ZREM', waiting, key)
redis.call('ZREM', parked, key)
return 1
"""
)

# ARGV: epoch. One more page counts towards the limit: a further part of a text.
COUNT_PART = (
    _HEAD
    + """
return is_of(ARGV[1]) and redis.call('HINCRBY', state, 'done_pages', 1) or 0
"""
)

# ARGV: epoch, milliseconds. Nobody takes anything for so long: the site has asked for it.
HOLD = (
    _HEAD
    + """
if not is_of(ARGV[1]) then return 0 end
redis.call('HSET', state, 'hold_until', math.max(count('hold_until'), now + tonumber(ARGV[2])))
return 1
"""
)

# ARGV: epoch, key, origin. 1 where what begins at `origin` may go on to `key`, now or once more after a kill.
PASS = (
    _HEAD
    + """
if not is_of(ARGV[1]) or redis.call('SISMEMBER', seen, ARGV[2]) == 1 then return 0 end
if redis.call('HSETNX', passed, ARGV[2], ARGV[3]) == 1 then return 1 end
return redis.call('HGET', passed, ARGV[2]) == ARGV[3] and 1 or 0
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
let_go(ARGV[1])
return 1
"""
)

# ARGV: worker, epoch, run, is_complete, ttl_ms. What it had in hand waits again; the last one clears a complete crawl.
LEAVE = (
    _HEAD
    + """
if not is_of(ARGV[2]) then return 0 end
let_go(ARGV[1])
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

# KEYS: requests in flight. ARGV: ms until they are given up, then tickets. Those that are in flight stay so; what was
# given up meanwhile is not brought back.
RENEW = """
local time = redis.call('TIME')
local due = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(ARGV[1])
for i = 2, #ARGV do
  local known = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if known and tonumber(known) < due then redis.call('ZADD', KEYS[1], due, ARGV[i]) end
end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
"""

# KEYS: what was used (hash), requests in flight (sorted by when they are given up, ms). ARGV: op, day, run, ticket,
# bytes, flight_ms, then limits and what the caller last saw used: of bytes a run, pages a day, bytes a day; 0 is no
# limit. op: begin (a request, unless a limit is reached), end (it), spend (a page and its bytes), see. What others
# have lost is brought back by whoever saw it: a Redis that was emptied gives no new budget. A request whose process
# died counts as a page: the site was asked. {which limit is reached, 0 for none; bytes of the run; pages; bytes}.
BUDGET = """
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local op, day, ticket, size = ARGV[1], ARGV[2], ARGV[4], tonumber(ARGV[5])
local names = {'run:' .. ARGV[3], 'pages:' .. day, 'bytes:' .. day}
local used = {}
for i = 1, 3 do
  local known = tonumber(redis.call('HGET', KEYS[1], names[i]) or '0')
  used[i] = math.max(known, tonumber(ARGV[9 + i]))
  if used[i] > known then redis.call('HSET', KEYS[1], names[i], used[i]) end
end
local function spend(which, more)
  used[which] = used[which] + more
  redis.call('HINCRBY', KEYS[1], names[which], more)
end
local lost = redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
if lost > 0 then spend(2, lost) end
if op == 'spend' then
  spend(1, size)
  spend(2, 1)
  spend(3, size)
end
if op == 'spend' or op == 'end' then redis.call('ZREM', KEYS[2], ticket) end
local reached = 0
if op == 'begin' then
  for i = 3, 1, -1 do
    local limit = tonumber(ARGV[6 + i])
    local flights = i == 2 and redis.call('ZCARD', KEYS[2]) or 0
    if limit > 0 and used[i] + flights >= limit then reached = i end
  end
  if reached == 0 then redis.call('ZADD', KEYS[2], now + tonumber(ARGV[6]), ticket) end
end
redis.call('PEXPIRE', KEYS[1], 35 * 86400000)
redis.call('PEXPIRE', KEYS[2], 86400000)
return {reached, used[1], used[2], used[3]}
"""
