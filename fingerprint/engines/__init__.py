"""Published engines behind one protocol, for comparison with the product's matcher."""
