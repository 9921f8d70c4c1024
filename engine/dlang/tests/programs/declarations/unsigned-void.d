unsigned void *p;
BEGIN { }
