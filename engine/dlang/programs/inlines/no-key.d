inline int x[int k] = k;
BEGIN { trace(x); }
