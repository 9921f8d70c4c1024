inline int x[int k] = k;
inline int y = k;
BEGIN { trace(x[1] + y); }
