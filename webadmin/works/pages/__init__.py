"""Lists and forms of works and rights; uploading works, reading chapters, official times."""
