"""The `notice` commands, and the commands of `site` about notices."""
