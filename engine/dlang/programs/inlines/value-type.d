inline int x = probename;
BEGIN { }
