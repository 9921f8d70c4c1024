inline int strlen = 7;
BEGIN { }
