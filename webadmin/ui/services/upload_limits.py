"""Size limits of a request."""

from core.wording import Message

# For all files of one request. A long novel has 20 MB. 32 MB of UTF-8 are 11 million characters; as 3,600 chapters they
# took 10 s to read and store, unchanged ones 4 s (two busy cores, November 2026). A longer request would exceed the
# patience of people and the timeouts of proxies; `zhuiwen work add` has no such limit.
MAX_UPLOAD_BYTES = 32 * 1024 * 1024
MAX_REQUEST_BYTES = MAX_UPLOAD_BYTES + 1024 * 1024  # the files and the other fields of the form
TOO_LARGE = Message("intake.upload-too-large", most=MAX_UPLOAD_BYTES // (1024 * 1024))
