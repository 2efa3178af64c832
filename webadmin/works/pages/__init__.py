"""Lists and forms of works and rights; sending works, reading chapters, official times."""
