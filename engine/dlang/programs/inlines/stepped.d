int n;
inline int x = n;
BEGIN { x++; }
