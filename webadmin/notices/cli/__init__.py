"""The `notice` commands, and the `site` commands about notices."""
