inline int x[int] = 1;
BEGIN { }
