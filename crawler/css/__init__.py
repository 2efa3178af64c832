"""Style sheets of pages: what they say of each element, on which screens. Pure; knows no script and no layout."""
