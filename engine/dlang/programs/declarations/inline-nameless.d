inline int = 1;
BEGIN { }
