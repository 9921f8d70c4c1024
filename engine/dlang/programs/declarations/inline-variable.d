int x;
inline int x = 7;
BEGIN { }
