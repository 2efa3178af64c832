"""One time limit for all of an exchange, from the look-up of the name to the last byte of the body."""

import time


class Deadline:
    """Starts to run when it is made; `seconds` is the limit that error messages name."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def remaining_s(self) -> float:
        """Return the seconds that remain, more than 0. Raises TimeoutError when there are none."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError(f"not done within {self.seconds:g} s")
        return left
