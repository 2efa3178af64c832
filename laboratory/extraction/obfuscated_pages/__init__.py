"""Generated pages whose text is obfuscated in one known way each, with the text that a reader would see."""
