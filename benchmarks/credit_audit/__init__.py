"""Audit of credit: the advantage functions of trainers, called on every group of small games."""
