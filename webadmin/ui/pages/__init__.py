"""What the pages of every application share: columns, paging, downloads, exports, errors."""
