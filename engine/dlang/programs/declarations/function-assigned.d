int f(int);
BEGIN { f = 3; }
