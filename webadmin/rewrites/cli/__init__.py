"""The verb `leads`, and leads as `check` shows them."""
