extern int x;
BEGIN { }
