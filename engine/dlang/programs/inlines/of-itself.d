inline int x = x + 1;
BEGIN { trace(x); }
