inline int x = exit(0);
BEGIN { x; }
