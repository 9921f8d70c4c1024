int n;
inline int x = n;
BEGIN { x = 1; }
