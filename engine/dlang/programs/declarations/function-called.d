int f(int);
BEGIN { trace(f(3)); }
