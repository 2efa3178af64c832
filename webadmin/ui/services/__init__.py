"""What the rules of every application share."""
