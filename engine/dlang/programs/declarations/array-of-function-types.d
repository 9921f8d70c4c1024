typedef int f();
f x[2];
BEGIN { }
