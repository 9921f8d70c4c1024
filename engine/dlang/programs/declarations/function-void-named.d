int f(void v);
BEGIN { }
