"""The judgement of aligned passages: figures, quotation, set wording, class, and how the copy was hidden."""
