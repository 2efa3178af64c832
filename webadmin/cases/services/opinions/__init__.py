"""Requests, computes and reads second opinions of published engines on the pages of cases."""
