int x;
long long x;
BEGIN { }
