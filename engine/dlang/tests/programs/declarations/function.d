int f(int);
BEGIN { }
