"""What aligned passages amount to: figures, quotation, set wording, class, and how the copy was hidden."""
