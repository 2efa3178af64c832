"""Style sheets of pages: the declarations for each element on each screen. Pure; knows no script and no layout."""
