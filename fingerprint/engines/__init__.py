"""The published engines, each behind one protocol, to stand beside the product's own matcher on the same pages."""
