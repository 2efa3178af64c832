"""Whether it worked: what was seen on the pages of confirmed cases, what that proves, and what came back."""
