inline int x = nowhere;
BEGIN { trace(x); }
