"""Files that hold whole books -> title, author, chapters: for a rights holder's files and for what a site offers."""
