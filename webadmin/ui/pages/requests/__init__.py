"""What a request may carry, and what an answer may show: checked for every page of the desk."""
