BEGIN { }
/* not closed
