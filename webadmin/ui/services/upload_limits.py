"""The size limits of a request."""

from core.wording import Message

# The limit for all files in a request. A long novel has 20 MB. 32 MB of UTF-8 are 11 million characters; 3,600 chapters
# of that size took 10 s to read and store, or 4 s if unchanged (two busy cores, November 2026). A longer request would
# exceed users' patience and proxies' timeouts. `zhuiwen work add` has no such limit.
MAX_UPLOAD_BYTES = 32 * 1024 * 1024
MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 1024 * 1024  # the files and the other fields of the form
TOO_LARGE = Message("intake.upload-too-large", most=MAX_UPLOAD_BYTES // (1024 * 1024))
