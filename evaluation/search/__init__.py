"""Players that search: they plan over worlds that fit what their seat recalls, and know no more."""
