typedef int f();
int x[f[2]];
BEGIN { }
