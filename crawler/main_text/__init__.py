"""What a page says, without what stands around it."""
