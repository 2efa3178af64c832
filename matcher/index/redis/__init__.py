"""The index in Redis, on one server or in a cluster; the only part of the matcher that uses the driver."""
