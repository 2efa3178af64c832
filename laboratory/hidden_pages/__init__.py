"""Generated pages whose text is disguised in one known way each, with the text that a reader would see."""
