int n;
inline int x = n;
BEGIN { trace(x[1]); }
